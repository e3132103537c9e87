import Engine
import Imaging

extension NetworkRunner {
  /// Returns the types of the inputs, followed by the types of the states.
  ///
  /// - Parameters:
  ///   - size: The size of the input images that have no value in `others`; nil for the declared size.
  ///   - others: The values of some inputs. The result contains the types of these values. For an input without a
  ///     value, the result contains the type for an image of the size `size`, or the declared type.
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

  /// Returns the size of the first output image for input images of the given size. Returns nil if the network does not
  /// take this size or has no image output.
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
