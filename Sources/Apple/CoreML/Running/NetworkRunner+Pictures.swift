import Engine
import Imaging

extension NetworkRunner {
  /// The types of the inputs, and of the states behind them.
  ///
  /// - Parameters:
  ///   - size: of the pictures that `others` does not give; nil for the declared ones.
  ///   - others: values of inputs; those that are missing count as declared.
  func inputTypes(
    pictures size: PictureSize?, others: (any MLFeatureProvider)? = nil
  ) throws -> [TensorType] {
    try inputs.map { input in
      if let others, others.featureValue(for: input.name) != nil {
        return try input.tensorType(for: try input.value(in: others))
      }
      return input.tensorType(pictures: size)
    } + states.map(\.type)
  }

  /// The size of the first picture that the network gives for pictures of a size; nil where it does not
  /// take them, or gives no picture.
  func paintedSize(pictures size: PictureSize) -> PictureSize? {
    var typed: Graph = network.graph
    guard let types = try? inputTypes(pictures: size),
      (try? typed.inferTypes(from: types)) != nil,
      let output = typed.outputs.first(where: { typed.imageOutputs[$0] != nil }),
      let shape = typed[output].type?.shape, shape.rank >= 3
    else { return nil }
    return PictureSize(width: shape[-1], height: shape[-2])
  }
}
