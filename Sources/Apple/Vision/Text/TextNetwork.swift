import CoreML
import Engine
import Foundation
import ModelTools
import Platform

/// One of PaddleOCR's networks, ready to run. Its input is `[1, 3, rows, columns]`: blue, green and red, −1…1.
///
/// The first request that needs a network opens it. The network computes in float32.
struct TextNetwork: Sendable {
  private static let opened = Locked<[VisionNetwork: TextNetwork]>([:])

  private let model: MLModel
  private let input: String
  private let output: String
  /// The characters that the recogniser can write, in the order of its classes. Class 0 is no character.
  let characters: [String]

  /// Returns a network. Opens it at the first call.
  ///
  /// - Throws: ``VNError`` when nobody has downloaded the networks with `atelier fetch vision`.
  static func opened(_ network: VisionNetwork) throws -> TextNetwork {
    try opened.withLock { known in
      if let open = known[network] { return open }
      let open = try TextNetwork(network)
      known[network] = open
      return open
    }
  }

  private init(_ network: VisionNetwork) throws {
    let configuration = MLModelConfiguration()
    configuration.computeUnits = .cpuOnly
    let graph: GraphModel
    do {
      graph = try network.read()
    } catch let error as ModelToolsError {
      throw VNError(.dataUnavailable, error.message)
    }
    let list: String = graph.metadata.other["character"] ?? ""
    model = try MLModel(graph: graph, configuration: configuration)
    let description: MLModelDescription = model.modelDescription
    guard let input = description.inputNames.first, let output = description.outputNames.first,
      network != .textRecognition || !list.isEmpty
    else { throw Self.unexpected(network) }
    (self.input, self.output) = (input, output)
    // The list has one character per line. The recogniser's last class is the space between words.
    characters = list.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  static func unexpected(_ network: VisionNetwork) -> VNError {
    VNError(
      .invalidModel,
      "The network '\(network.fileName)' has other inputs or outputs than expected. Fetch it again:"
        + " `atelier fetch vision --force`.")
  }

  /// Runs the network.
  ///
  /// - Parameter fill: Writes the input: three planes of `rows` rows of `columns` numbers. All numbers are 0 before.
  /// - Returns: The output's extents and numbers.
  func run(
    rows: Int, columns: Int, fill: (UnsafeMutablePointer<Float>) -> Void
  ) throws -> (shape: [Int], values: [Float]) {
    let array = try MLMultiArray(
      shape: [1, 3, NSNumber(value: rows), NSNumber(value: columns)], dataType: .float32)
    array.withUnsafeMutableBufferPointer(ofType: Float.self) { numbers, _ in
      numbers.update(repeating: 0)
      if let first = numbers.baseAddress { fill(first) }
    }
    let made: any MLFeatureProvider = try model.prediction(
      from: MLDictionaryFeatureProvider(dictionary: [input: MLFeatureValue(multiArray: array)]))
    guard let result = made.featureValue(for: output)?.multiArrayValue else {
      throw VNError(.internalError, "The network made no output '\(output)'.")
    }
    return (result.shape.map(\.intValue), MLShapedArray<Float>(converting: result).scalars)
  }

  /// Runs the network on a line of text, which is scaled to `rows` rows and lies at the left of the input. A line that
  /// would have more than `columns` columns is squeezed.
  ///
  /// - Returns: The columns that the line has, and the output's extents and numbers.
  func run(_ line: TextCut, rows: Int, columns: Int) throws -> (
    used: Int, shape: [Int], values: [Float]
  ) {
    let used = Int(min(Double(columns), (Double(rows) * line.ratio).rounded(.up)))
    let input: TextPage = line.page.scaled(width: used, height: rows)
    let (shape, values) = try run(rows: rows, columns: columns) {
      input.write(to: $0, columns: columns)
    }
    return (used, shape, values)
  }
}
