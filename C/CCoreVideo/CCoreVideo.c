// Makes the target a C target. The module has no code.
