import Engine
import ModelFormat

/// The mean image of a network's preprocessing, subtracted from a picture.
///
///     y = x − mean
///
/// - Input: `[…, C, H, W]`, rank three or more, of as many values a sample as the mean image.
/// - Output: the input's shape.
/// - Made by the graph's front end, not decoded as a layer.
/// - Errors: a picture of another size than the mean image.
///
/// **Source:** `NeuralNetworkMeanImage`.
public struct MeanImageLayer: Layer {
  public static let declaration = LayerDeclaration(
    "MeanImage", specification: nil, summary: "x − mean image, for pictures that come in")

  /// The mean image, row-major over channels, height and width.
  public var mean: [Float]

  /// A layer that subtracts the mean image, row-major over channels, height and width.
  public init(mean: [Float]) { self.mean = mean }

  /// The layer of a message.
  public init(_ message: Spec.NeuralNetworkMeanImage) { self.init(mean: message.meanImage.array()) }

  public init(decoding decoder: LayerDecoder) throws {
    throw decoder.invalid("preprocessing is no layer of a network.")
  }

  public func outputTypes(for inputs: [LayerInput]) throws -> [TensorType]? {
    let shape: Shape = try LayerInput.only(inputs).shape
    let map = try FeatureMap(shape)
    guard map.channels * map.area == mean.count else {
      throw EngineError(
        .invalidInput,
        "the picture has \(map.channels * map.area) values (\(shape)), expected the mean image's "
          + "\(mean.count).")
    }
    return [TensorType(shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    var result: ReferenceTensor = inputs[0]
    for position in result.values.indices {
      result.values[position] -= Double(mean[position % mean.count])
    }
    return [result]
  }

  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native mean image subtraction") {
        [self] (request: KernelRequest) -> Kernel? in
        let extents = Shape(Array(request.inputs[0].shape.dimensions.suffix(3)))
        let shift = PointwiseProgram.Constant(shape: extents, values: mean.map { -$0 })
        return try PointwiseProgram.affine(scale: nil, shift: shift).kernel(for: request)
      }
    ]
  }

  /// Not decoded, so that samples, which are messages, have nothing to hold; see PreprocessingTests.
  public static var samples: [LayerSample] { [] }
}
