import Engine
import Layers

extension Graph {
  /// Adds a layer that reads these values, and returns what it makes; types are inferred at once.
  mutating func apply(_ layer: any Layer, to inputs: [ValueID], name: String) throws -> ValueID {
    try applyAll(layer, to: inputs, name: name, outputs: [name])[0]
  }

  /// Adds a layer of several outputs.
  mutating func applyAll(
    _ layer: any Layer, to inputs: [ValueID], name: String, outputs names: [String]
  ) throws -> [ValueID] {
    let known: [LayerInput] = try inputs.map { input in
      LayerInput(TensorType(try knownShape(of: input)), value: self[input].constant)
    }
    let types: [TensorType]
    do {
      guard let inferred = try layer.outputTypes(for: known), inferred.count == names.count else {
        throw EngineError(.unsupported, "its shape depends on data, which losses cannot use.")
      }
      types = inferred
    } catch let error as EngineError {
      throw error.naming(type(of: layer).declaration.name, name)
    }
    let outputs: [ValueID] = zip(names, types).map { addValue($0, type: $1) }
    nodes.append(Node(name: name, layer: layer, inputs: inputs, outputs: outputs))
    return outputs
  }
}
