import Conversion
import CoreML
import Engine
import Foundation
import Imaging

/// Paints in the style of any painting with a pair of networks. The predictor computes a style vector of 100 numbers
/// from a painting. The transformer paints a photo with this vector.
///
/// The files of the networks may have any supported format. Both networks take pictures `[1, height, width, 3]` of 0…1.
/// The transformer also takes the style vector, and its output is a picture of 0…1.
///
/// **Source:** Ghiasi et al., “Exploring the structure of a real-time, arbitrary neural artistic stylization network”,
/// arXiv:1705.06830. The networks for mobile devices are from Magenta.
public struct ArbitraryStyle {
  /// A style vector.
  public struct Style: Sendable, Equatable {
    /// The elements of the vector.
    public var numbers: [Float]

    /// Computes the weighted mean of several styles.
    public init(mixing styles: [(style: Style, weight: Double)]) throws {
      let total: Double = styles.reduce(0) { $0 + $1.weight }
      guard let first = styles.first, total > 0,
        styles.allSatisfy({ $0.weight >= 0 && $0.weight.isFinite }),
        styles.allSatisfy({ $0.style.numbers.count == first.style.numbers.count })
      else {
        throw StyleTransferError(
          .input, "The weights of styles must be numbers of 0 or more, and one of them above 0.")
      }
      numbers = first.style.numbers.indices.map { index in
        Float(styles.reduce(0) { $0 + $1.weight / total * Double($1.style.numbers[index]) })
      }
    }

    init(numbers: [Float]) { self.numbers = numbers }
  }

  private let predictor: Network
  private let predictorType: TensorType
  private let transformer: MLModel
  private let numbersName: String
  private let numbersShape: [NSNumber]
  private let name: String

  /// Opens the two networks.
  ///
  /// - Throws: ``StyleTransferError`` if the files are not such a pair of networks, or cannot be read.
  public init(
    predictor: URL, transformer: URL, configuration: MLModelConfiguration = MLModelConfiguration()
  ) throws {
    let seen: GraphModel = try ModelReaders.read(predictor)
    guard seen.inputs.count == 1, seen.outputs.count == 1,
      let extents = seen.inputs[0].extents?.compactMap(\.fixed), extents.count == 4,
      extents[0] == 1, extents[3] == 3
    else {
      throw StyleTransferError(
        .network,
        "'\(predictor.lastPathComponent)' does not compute a style vector, expected one input of 1"
          + " × height × width × 3 and one output.")
    }
    predictorType = TensorType(Shape(extents))
    self.predictor = Network(
      seen.graph, passes: GraphPasses.standard, options: ExecutionOptions())
    name = transformer.lastPathComponent
    var painting = try PaintingGraph(contentsOf: transformer)
    configuration.allowsAnyInputSize = true
    self.transformer = try MLModel(graph: try painting.withPictures(), configuration: configuration)
    numbersName = painting.numbers.name
    numbersShape = painting.numbersShape.map { NSNumber(value: $0) }
  }

  /// Computes the style of a painting with the predictor. Scales the painting until its shorter side fits the
  /// predictor's input, and crops it to its centre, as TensorFlow Lite's example does.
  public func style(of painting: Picture) throws -> Style {
    let (height, width) = (predictorType.shape[1], predictorType.shape[2])
    let seen: Picture = try painting.withoutAlpha.fitted(
      toWidth: width, height: height, mode: .centerCrop)
    let values: [Float] = seen.pixels.map { Float($0) / 255 }
    return try predictor.plan(for: [predictorType]).withSession { session in
      FloatTensor(predictorType.shape, values).write(to: session.input(0))
      try session.run()
      return Style(numbers: FloatTensor(try session.output(0)).values)
    }
  }

  /// Returns a painter for one photo.
  ///
  /// - Parameters:
  ///   - style: The style of a painting, or a mixture.
  ///   - strength: The weight of `style`, 0…1. The photo's own style has the remaining weight.
  ///   - photo: The photo. Its style is computed and mixed in if the strength is below 1.
  public func painter(in style: Style, strength: Double = 1, of photo: Picture) throws -> Painter {
    guard (0...1).contains(strength) else {
      throw StyleTransferError(.input, "A strength of \(strength) is not between 0 and 1.")
    }
    let mixed: Style =
      strength == 1
      ? style
      : try Style(mixing: [(style, strength), (try self.style(of: photo), 1 - strength)])
    let array = try MLMultiArray(shape: numbersShape, dataType: .float32)
    guard array.count == mixed.numbers.count else {
      throw StyleTransferError(
        .network,
        "'\(name)' takes \(array.count) numbers, but a style has \(mixed.numbers.count); these"
          + " networks are not a pair.")
    }
    for (index, number) in mixed.numbers.enumerated() { array[index] = NSNumber(value: number) }
    return try Painter(
      transformer, inputs: [numbersName: MLFeatureValue(multiArray: array)], name: name)
  }
}
