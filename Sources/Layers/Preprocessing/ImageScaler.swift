import Engine
import ModelFormat

/// The scaler of a network's preprocessing: a factor for a picture and a shift for every channel.
///
///     y = channelScale · x + bias[c]
///
/// - Input: `[…, C, H, W]`, rank three or more, with one channel (grey) or three.
/// - Output: the input's shape.
/// - Made by the graph's front end, not decoded as a layer.
/// - Defaults: a channelScale of 0, which is what an unset field reads as, is 1.
/// - Errors: another number of channels than one or three.
///
/// **Source:** `NeuralNetworkImageScaler`.
public struct ImageScalerLayer: Layer, PerChannelAffine {
  public static let declaration = LayerDeclaration(
    "ImageScaler", specification: nil,
    summary: "channelScale · x + bias of the channel, for pictures that come in")

  /// The factor.
  public var scale: Float
  /// Shifts in the order of the tensor's channels: one for grey, three for colours.
  public var biases: [Float]

  /// A scaler; the shifts stand in the order of the tensor's channels.
  public init(scale: Float, biases: [Float]) {
    precondition(biases.count == 1 || biases.count == 3, "grey or three colours")
    self.scale = scale
    self.biases = biases
  }

  /// The scaler of a picture input.
  ///
  /// - Parameters:
  ///   - channels: 1 for grey pictures, 3 for colours.
  ///   - blueFirst: whether the tensor's channels are blue, green, red.
  public init(_ message: Spec.NeuralNetworkImageScaler, channels: Int, blueFirst: Bool) {
    let colours: [Float] = [message.redBias, message.greenBias, message.blueBias]
    self.init(
      scale: message.channelScale == 0 ? 1 : message.channelScale,
      biases: channels == 1 ? [message.grayBias] : blueFirst ? colours.reversed() : colours)
  }

  public init(decoding decoder: LayerDecoder) throws {
    throw decoder.invalid("preprocessing is no layer of a network.")
  }

  public func outputTypes(for inputs: [LayerInput]) throws -> [TensorType]? {
    let shape: Shape = try LayerInput.only(inputs).shape
    let map = try FeatureMap(shape)
    guard map.channels == biases.count else {
      throw EngineError(
        .invalidInput,
        "the picture has \(map.channels) channels (\(shape)), expected \(biases.count).")
    }
    return [TensorType(shape)]
  }

  public func affine() throws -> (scale: [Float], shift: [Float])? { ([scale], biases) }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [
      inputs[0].mappedWithPlace { (value: Double, place: [Int]) -> Double in
        Double(scale) * value + Double(biases[place[place.count - 3]])
      }
    ]
  }

  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native scale and shift") { [self] (request: KernelRequest) -> Kernel? in
        try PointwiseProgram.affine(scale: .perChannel([scale]), shift: .perChannel(biases))
          .kernel(for: request)
      }
    ]
  }

  /// Not decoded, so that samples, which are messages, have nothing to hold; see PreprocessingTests.
  public static var samples: [LayerSample] { [] }
}
