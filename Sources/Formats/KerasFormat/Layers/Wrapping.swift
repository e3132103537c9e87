import Graph
import Operators

extension KerasLayerReader {
  /// Layers that wrap another layer.
  static let wrapping: [KerasLayerReader] = [
    KerasLayerReader("TimeDistributed", fields: KnownFields(["layer"])) { try $0.atEachStep() }
  ]
}

extension KerasContext {
  /// Applies the wrapped layer to each step of a sequence: a reshape turns the steps into samples of the batch.
  fileprivate func atEachStep() throws -> KerasTensor {
    guard let item = settings.object("layer") else { throw invalid("it wraps no layer.") }
    let inner = try KerasLayer(item, functional: false)
    let x = try input()
    guard let reader = KerasLayerReader.all[inner.type], x.rank >= 3 else {
      throw unsupported("it wraps a layer '\(inner.type)', which is not supported there.")
    }
    if let fields = reader.fields { try inner.settings.check(fields) }
    let value = try kerasOrdered(x)
    let shape: [Int?] = extents(value, rank: x.rank)
    guard let steps = shape[1], shape.dropFirst(2).allSatisfy({ $0 != nil }) else {
      throw unsupported("the number of steps and the size of each must be known.")
    }
    let rest: [Int] = shape.dropFirst(2).compactMap { $0 }
    let batch = try add(ReshapeStaticOperator(targetShape: [-1] + rest), value)
    let context = KerasContext(
      layer: inner, inputs: [KerasTensor(batch, rank: x.rank - 1)], weights: weights,
      network: network)
    guard let made = try reader.read(context).first else {
      throw invalid("the wrapped layer has no output.")
    }
    let flat = try kerasOrdered(made)
    let known: [Int] = extents(flat, rank: made.rank).dropFirst().compactMap { $0 }
    guard known.count == made.rank - 1 else {
      throw unsupported("the size of the wrapped layer's output is not known.")
    }
    return KerasTensor(
      try add(ReshapeStaticOperator(targetShape: [-1, steps] + known), flat), rank: made.rank + 1)
  }
}
