// The build gives a style sheet to a script as its minified text.
declare module '*.css' {
  const style: string;
  export default style;
}
