import Graph
import Operators

extension KerasContext {
  /// Adds a custom layer for a Keras layer whose class the model's author wrote.
  ///
  /// The class that implements the custom layer gets images in Core ML's shape: `[sequence, batch, channels, height,
  /// width]`.
  func custom() throws -> [KerasTensor] {
    let unknown = UnknownLayer(
      name: layer.name, type: layer.type, function: layer.function, configuration: settings.json,
      weights: weights)
    let recipe: CustomLayerRecipe = try network.options.recipe(for: unknown)
    network.customLayerNames.formUnion(unknown.names)
    let stored: [[UInt8]] = try (recipe.weights ?? weights.map { try $0.floats() }).map { values in
      values.flatMap { value in withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) } }
    }
    let x = try input()
    let isPicture: Bool = inputs.allSatisfy { $0.rank == 4 }
    let rank: Int = isPicture ? 4 : recipe.outputExtents.map { $0.count + 1 } ?? x.rank
    if let extents = recipe.outputExtents, extents.count != rank - 1 {
      throw invalid(
        "its shape is given as \(extents), expected \(rank - 1) extents without the batch.")
    }
    let factory: CustomLayerFactory =
      network.options.makeCustomLayer ?? PassthroughCustomLayer.factory
    var implementation = try factory(
      CustomLayerRequest(
        layerName: layer.name, className: recipe.className, parameters: recipe.parameters,
        weights: { stored }))
    if implementation is PassthroughCustomLayer,
      let extents = recipe.outputExtents?.compactMap(\.fixed),
      extents.count == rank - 1
    {
      implementation = PassthroughCustomLayer(
        recipe.className, outputShape: Shape((isPicture ? [1, 1] : [1]) + extents))
    }
    let operation = CustomLayer(
      className: recipe.className, implementation: implementation, parameters: recipe.parameters,
      weights: { stored }, summary: recipe.summary)
    let values: [Graph.ValueID] = try inputs.map { tensor in
      let value = try isPicture ? channelFirst(tensor) : kerasOrdered(tensor)
      return isPicture ? try add(ExpandDimsOperator(axes: [0]), value) : value
    }
    var made = try add(operation, values)
    if let extents = recipe.outputExtents, builder.extents(of: made) == nil {
      builder.state((isPicture ? [1, 1] : [1]) + extents, .float32, of: made)
    }
    if isPicture { made = try add(SqueezeOperator(axes: [0]), made) }
    return [KerasTensor(made, rank: rank, isChannelFirst: isPicture)]
  }
}
