import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Quantity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes a CustomResourceDefinition as JSON for each class of Strimzi's API: the fields, their types, the required fields and the values of
 * enumerations. A type with subtypes gets the fields of all. `status` accepts any content.
 */
public class CustomResources {
    /** The only API version in the definitions. */
    private static final String VERSION = "v1";
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final Map<String, Object> ANYTHING = Map.of("x-kubernetes-preserve-unknown-fields", true);
    private final Deque<Class<?>> within = new ArrayDeque<>();

    /** Arguments: the folder to write to, and the names of the classes. */
    @SuppressWarnings("unchecked")
    public static void main(String[] args) throws Exception {
        for (String name : List.of(args).subList(1, args.length)) {
            Class<? extends HasMetadata> type = (Class<? extends HasMetadata>) Class.forName(name);
            String plural = HasMetadata.getPlural(type);
            Path file = Path.of(args[0], HasMetadata.getGroup(type) + "_" + plural + ".yaml");
            Files.writeString(file, MAPPER.writeValueAsString(new CustomResources().definition(type, plural)));
        }
    }

    private Map<String, Object> definition(Class<? extends HasMetadata> type, String plural) {
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("apiVersion", Map.of("type", "string"));
        properties.put("kind", Map.of("type", "string"));
        properties.put("metadata", Map.of("type", "object"));
        properties.put("status", openObject());
        for (BeanPropertyDefinition property : propertiesOf(MAPPER.constructType(type)))
            if (property.getName().equals("spec")) properties.put("spec", schema(property.getPrimaryType()));
        Map<String, Object> whole = Map.of("openAPIV3Schema", Map.of("type", "object", "properties", properties));
        Map<String, Object> version = Map.of("name", VERSION, "served", true, "storage", true, "schema", whole);
        String kind = HasMetadata.getKind(type);
        String group = HasMetadata.getGroup(type);
        return Map.of(
            "apiVersion", "apiextensions.k8s.io/v1",
            "kind", "CustomResourceDefinition",
            "metadata", Map.of("name", plural + "." + group),
            "spec", Map.of(
                "group", group,
                "scope", "Namespaced",
                "names", Map.of(
                    "kind", kind, "listKind", kind + "List", "plural", plural, "singular", kind.toLowerCase()),
                "versions", List.of(version)));
    }

    private Map<String, Object> schema(JavaType type) {
        Class<?> raw = type.getRawClass();
        if (raw == Quantity.class || raw == IntOrString.class) return Map.of("x-kubernetes-int-or-string", true);
        if (raw.isEnum()) return Map.of("type", "string", "enum", valuesOf(raw));
        if (raw == boolean.class || raw == Boolean.class) return Map.of("type", "boolean");
        if (raw == int.class || raw == Integer.class || raw == long.class || raw == Long.class)
            return Map.of("type", "integer");
        if (raw.isPrimitive() || Number.class.isAssignableFrom(raw)) return Map.of("type", "number");
        if (raw == String.class) return Map.of("type", "string");
        if (type.isArrayType() || Collection.class.isAssignableFrom(raw))
            return Map.of("type", "array", "items", schema(type.getContentType()));
        if (Map.class.isAssignableFrom(raw))
            return Map.of("type", "object", "additionalProperties", schema(type.getContentType()));
        if (raw == Object.class || raw.getName().startsWith("com.fasterxml.") || within.contains(raw)) return ANYTHING;
        return object(type);
    }

    private Map<String, Object> object(JavaType type) {
        within.push(type.getRawClass());
        Map<String, Object> properties = new LinkedHashMap<>();
        List<String> required = new ArrayList<>();
        for (BeanPropertyDefinition property : propertiesOf(type)) {
            properties.put(property.getName(), schema(property.getPrimaryType()));
            if (property.isRequired()) required.add(property.getName());
        }
        JsonSubTypes subtypes = type.getRawClass().getAnnotation(JsonSubTypes.class);
        // No field of a subtype is required: another subtype may lack it.
        if (subtypes != null)
            for (JsonSubTypes.Type each : subtypes.value())
                for (BeanPropertyDefinition property : propertiesOf(MAPPER.constructType(each.value())))
                    properties.putIfAbsent(property.getName(), schema(property.getPrimaryType()));
        within.pop();
        Map<String, Object> schema = new LinkedHashMap<>(Map.of("type", "object", "properties", properties));
        if (!required.isEmpty()) schema.put("required", required);
        return schema;
    }

    private static List<BeanPropertyDefinition> propertiesOf(JavaType type) {
        return MAPPER.getSerializationConfig().introspect(type).findProperties();
    }

    private static Map<String, Object> openObject() {
        return Map.of("type", "object", "x-kubernetes-preserve-unknown-fields", true);
    }

    private static List<String> valuesOf(Class<?> type) {
        List<String> values = new ArrayList<>();
        for (Object constant : type.getEnumConstants()) values.add(MAPPER.convertValue(constant, String.class));
        return values;
    }
}
