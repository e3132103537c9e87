import Engine
import Foundation
import Graph
import ModelFormat
import NeuralNetworkFormat
import Operators
import NetworkRuns
import Testing

@testable import Conversion
@testable import KerasFormat

/// Compares two forms of the style network in chapter 6 of the book “Machine Learning with Core ML”. The first consists
/// of Keras 2 weights and an architecture file that we wrote. The second is Apple's conversion of the same weights.
@Suite(.enabled(if: KerasRun.hasBookNetwork, "needs ../shared/models/starry-night"))
struct BookNetworkTests {
  static let folder = KerasRun.shared.appendingPathComponent("starry-night")
  static let weights = folder.appendingPathComponent("van-gogh-starry-night_style.h5")
  static let apples = folder.appendingPathComponent("FastStyleTransferVanGoghStarryNight.mlmodel")
  static let architecture = KerasRun.expected.appendingPathComponent("starry-night.json")

  /// Both layer classes of the book in one class, for tensors of any rank. The layer named `ResCropBlockLambda` cuts
  /// two rows or columns from each edge. The other layer rescales −1…1 to 0…255.
  final class BookLayer: CustomLayerImplementation {
    let cut: Int
    init(_ request: CustomLayerRequest) { cut = request.className == "ResCropBlockLambda" ? 2 : 0 }

    func outputShapes(for inputs: [Shape]) throws -> [Shape] {
      var shape: Shape = inputs[0]
      #expect(shape.rank == 5)
      (shape[-1], shape[-2]) = (shape[-1] - 2 * cut, shape[-2] - 2 * cut)
      return [shape]
    }

    func evaluate(inputs: [CustomLayerTensor], outputs: [CustomLayerTensor]) throws {
      let (source, target) = (inputs[0], outputs[0])
      let (rows, columns) = (target.shape[-2], target.shape[-1])
      let (height, width) = (source.shape[-2], source.shape[-1])
      for plane in 0..<target.shape.count / (rows * columns) {
        for row in 0..<rows {
          for column in 0..<columns {
            let value: Float = source.data[(plane * height + row + cut) * width + column + cut]
            target.data[(plane * rows + row) * columns + column] =
              cut > 0 ? value : (value + 1) * 127.5
          }
        }
      }
    }
  }

  static func options(runs: Bool) throws -> ReadingOptions {
    var options = ReadingOptions()
    options.companions = [weights]
    try options.addCustomLayer("res_crop=ResCropBlockLambda:return x[:, 2:-2, 2:-2]")
    try options.addCustomLayer(
      "rescale_output=RescaleOutputLambda:Rescale output to adjust for ReLu ((x+1)*127.5)")
    if runs { options.makeCustomLayer = { BookLayer($0) } }
    return options
  }

  @Test func `Every output is within 0.001 of Apple's file`() throws {
    let ours = try KerasReader.read(Self.architecture, options: Self.options(runs: true))
    let theirs = try CoreMLReader.read(Self.apples, options: Self.options(runs: true))
    var photo: ReferenceTensor = .ramp([1, 3, 320, 320])
    photo.values = photo.values.map { ($0 + 0.4) * 255 }
    let (made, expected) = (
      try ours.run([photo])[0], try theirs.run([photo])[0]
    )
    #expect(made.shape == [1, 3, 320, 320])
    #expect(made.values.count == expected.values.count)
    let difference: Double =
      zip(made.values, expected.values).map { abs($0 - $1) }.max() ?? .infinity
    #expect(difference < 1e-3, "\(difference) of 255")
  }

  @Test func `The custom layers match Apple's file, with names and descriptions`() throws {
    func layers(_ model: GraphModel) -> [String] {
      model.graph.nodes.compactMap { node in
        (node.operation as? CustomLayer).map { "\(node.name) \($0.className) \($0.summary)" }
      }.sorted()
    }
    let ours = try KerasReader.read(Self.architecture, options: Self.options(runs: false))
    let theirs = try CoreMLReader.read(Self.apples, options: Self.options(runs: false))
    #expect(layers(ours) == layers(theirs))
    #expect(layers(ours).count == 6)
  }

  @Test func `Without a class, the message names the layer and the option to pass`() {
    var options = ReadingOptions()
    options.companions = [Self.weights]
    #expect {
      _ = try KerasReader.read(Self.architecture, options: options)
    } throws: { error in
      "\(error)"
        == "Lambda 'res_crop_0': the layer calls the function 'res_crop', and the file does not contain its code. Pass the name of your class that computes it: --custom 'res_crop=ClassName[:description]'."
    }
  }

  @Test func `A file with only weights is refused with what is missing`() {
    #expect {
      _ = try KerasReader.read(Self.weights, options: ReadingOptions())
    } throws: { "\($0)".contains("holds weights but no architecture") }
  }

  @Test func `A closure may provide a layer's implementation`() throws {
    var options = try Self.options(runs: false)
    options.customLayers = [:]
    options.customLayer = { layer in
      CustomLayerRecipe(
        layer.function == "res_crop" ? "Crop" : "Rescale", parameters: ["amount": .integer(2)])
    }
    let model = try KerasReader.read(Self.architecture, options: options)
    let made: [CustomLayer] = model.graph.nodes.compactMap { $0.operation as? CustomLayer }
    #expect(Set(made.map(\.className)) == ["Crop", "Rescale"])
    #expect(made.allSatisfy { $0.parameters["amount"] == .integer(2) })
  }
}
