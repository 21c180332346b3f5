// The build imports a style sheet as its minified text.
declare module '*.css' {
  const style: string;
  export default style;
}
