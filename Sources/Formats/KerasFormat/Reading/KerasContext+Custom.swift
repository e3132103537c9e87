import Graph
import Operators

extension KerasContext {
  /// The custom layer that stands for a layer which is code of its maker's.
  ///
  /// Its class sees pictures as Core ML's classes do: `[sequence, batch, channels, height, width]`.
  func custom() throws -> [KerasTensor] {
    let recipe: CustomLayerRecipe = try network.options.recipe(
      for: UnknownLayer(
        name: layer.name, type: layer.type, function: layer.function, configuration: settings.json,
        weights: weights))
    let stored: [[UInt8]] = try (recipe.weights ?? weights.map { try $0.floats() }).map { values in
      values.flatMap { value in withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) } }
    }
    let factory: CustomLayerFactory =
      network.options.makeCustomLayer ?? CarriedCustomLayer.factory
    let implementation = try factory(
      CustomLayerRequest(
        layerName: layer.name, className: recipe.className, parameters: recipe.parameters,
        weights: stored))
    let operation = CustomLayer(
      className: recipe.className, implementation: implementation, parameters: recipe.parameters,
      weights: { stored }, summary: recipe.summary)
    let x = try input()
    let isPicture: Bool = inputs.allSatisfy { $0.rank == 4 }
    let values: [Graph.ValueID] = try inputs.map { tensor in
      let value = try isPicture ? channelFirst(tensor) : natural(tensor)
      return isPicture ? try add(ExpandDimsOperator(axes: [0]), value) : value
    }
    var made = try add(operation, values)
    let rank: Int = isPicture ? 4 : recipe.outputExtents.map { $0.count + 1 } ?? x.rank
    if let extents = recipe.outputExtents, builder.extents(of: made) == nil {
      guard extents.count == rank - 1 else {
        throw invalid(
          "its shape is given as \(extents), expected \(rank - 1) extents without the batch.")
      }
      builder.state((isPicture ? [1, 1] : [1]) + extents, .float32, of: made)
    }
    if isPicture { made = try add(SqueezeOperator(axes: [0]), made) }
    return [KerasTensor(made, rank: rank, isChannelFirst: isPicture)]
  }
}
