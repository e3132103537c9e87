/// Importing `Engine` imports all modules of the engine.
@_exported import Backends
@_exported import CPUBackend
@_exported import Graph
@_exported import NeuralNetworkFormat
@_exported import Operators
@_exported import Passes
@_exported import ProgramFormat
@_exported import Tensors
