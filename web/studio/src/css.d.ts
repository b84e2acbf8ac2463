// Style sheets become one file of the bundle.
declare module "*.css";
