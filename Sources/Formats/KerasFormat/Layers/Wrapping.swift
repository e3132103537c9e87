import Graph
import Operators

extension KerasLayerReader {
  /// Layers around a layer.
  static let wrapping: [KerasLayerReader] = [
    KerasLayerReader("TimeDistributed", fields: KnownFields(["layer"])) { try $0.atEachStep() }
  ]
}

extension KerasContext {
  /// What the layer inside makes of each step: the steps are taken for a batch.
  fileprivate func atEachStep() throws -> KerasTensor {
    guard let item = settings.object("layer") else { throw invalid("it wraps no layer.") }
    let inner = try KerasLayer(item, functional: false)
    let x = try input()
    guard let reader = KerasLayerReader.all[inner.type], x.rank >= 3 else {
      throw unsupported("it wraps a layer '\(inner.type)', which cannot stand there.")
    }
    if let fields = reader.fields { try inner.settings.check(fields) }
    let value = try natural(x)
    let shape: [Int?] = extents(value, rank: x.rank)
    guard let steps = shape[1], shape.dropFirst(2).allSatisfy({ $0 != nil }) else {
      throw unsupported("the number of steps and the size of each must be known.")
    }
    let rest: [Int] = shape.dropFirst(2).compactMap { $0 }
    let batch = try add(ReshapeStaticOperator(targetShape: [-1] + rest), value)
    let context = KerasContext(
      layer: inner, inputs: [KerasTensor(batch, rank: x.rank - 1)], weights: weights,
      network: network)
    guard let made = try reader.read(context).first else { throw invalid("it makes nothing.") }
    let flat = try natural(made)
    let known: [Int] = extents(flat, rank: made.rank).dropFirst().compactMap { $0 }
    guard known.count == made.rank - 1 else {
      throw unsupported("the size of what the layer inside makes is not known.")
    }
    return KerasTensor(
      try add(ReshapeStaticOperator(targetShape: [-1, steps] + known), flat), rank: made.rank + 1)
  }
}
