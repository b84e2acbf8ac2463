"""Libraries of components: connectors, components, sources and sensors in every domain.

Names of parameters are those of the Modelica Standard Library.  A domain is a module:
`blocks`, `electrical`, `rotational`, `translational`, `thermal`, `hydraulic`, `bond`, `multibody`.
"""
