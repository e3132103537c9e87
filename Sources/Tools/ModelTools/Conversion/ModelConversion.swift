import Conversion
import Engine
import Foundation
import ModelFormat
import NeuralNetworkFormat

/// Converts a model from one format to another. The user adds settings that the file does not contain.
///
///     var conversion = ModelConversion()
///     conversion.pictureInputs["data"] = .init(.bgr, bias: [-104, -117, -123])
///     conversion.metadata.author = "Ada"
///     try conversion.convert(caffemodel, to: package)
public struct ModelConversion: Sendable {
  /// The conversion between the samples of a picture and the numbers of the network. For an input, a sample `v` of
  /// 0…255 becomes the element `scale · v + bias` of the network's tensor. For an output, see ``pictureOutputs``.
  public struct PictureInput: Sendable {
    /// The order of the channels.
    public var order: Graph.ImagePort.ColorOrder
    /// The factors: one for all channels, or one for each channel in the order of ``order``. Empty means 1.
    public var scale: [Float]
    /// The numbers to add: one for all channels, or one for each channel in the order of ``order``. Empty means 0.
    public var bias: [Float]

    /// Creates the description of a picture. By default, samples are not changed.
    public init(
      _ order: Graph.ImagePort.ColorOrder = .rgb, scale: [Float] = [], bias: [Float] = []
    ) {
      self.order = order
      self.scale = scale
      self.bias = bias
    }
  }

  /// The options for reading the file, such as extents and companion files.
  public var reading = ReadingOptions()
  /// The options for writing the file.
  public var writing = WritingOptions()
  /// The new names of inputs and outputs, by their names in the file.
  public var names: [String: String] = [:]
  /// The inputs that become pictures, by their names in the file.
  public var pictureInputs: [String: PictureInput] = [:]
  /// The outputs that become pictures, by their names in the file. A computed value `x` becomes `scale · x + bias` and
  /// is then rounded to 0…255.
  public var pictureOutputs: [String: PictureInput] = [:]
  /// The class labels, in the order of the probabilities in ``classOutput``.
  public var classLabels: [String] = []
  /// The name of the output with the probabilities, as the file names it. Nil if the model has only one output.
  public var classOutput: String?
  /// The metadata to write into the model. Empty fields keep the values of the file.
  public var metadata = GraphModel.Metadata()

  /// Creates a conversion with the default settings.
  public init() {}

  /// Reads a file, applies the settings, and writes the new file.
  ///
  /// - Throws: An error that names the file, the layer or the option.
  /// - Returns: The model that was written.
  @discardableResult
  public func convert(_ source: URL, to target: URL) throws -> GraphModel {
    let writer = try ModelWriters.writer(for: target)
    let model: GraphModel = try applied(to: try ModelReaders.read(source, options: reading))
    if writer == NeuralNetworkFile.self, var learning = Self.learning(of: source) {
      learning.rename(names)
      try ModelWriters.write(model, to: target) {
        try Spec.Model(neuralNetwork: model, learning: learning).write(to: $0)
      }
    } else {
      try ModelWriters.write(model, to: target, options: writing)
    }
    return model
  }

  /// Returns whether a model is updatable but its converted form is not. Only NeuralNetworks can be updatable.
  public static func losesLearning(_ source: URL, to target: URL) throws -> Bool {
    try ModelWriters.writer(for: target) != NeuralNetworkFile.self && learning(of: source) != nil
  }

  private static func learning(of source: URL) -> NetworkLearning? {
    guard CoreMLReader.recognizes(source, head: []) else { return nil }
    return (try? ModelFile.open(source)).flatMap { NetworkLearning(of: $0.model) }
  }

  /// Applies the settings to a model.
  public func applied(to given: GraphModel) throws -> GraphModel {
    var model: GraphModel = given
    for (name, picture) in pictureInputs.sorted(by: { $0.key < $1.key }) {
      let position: Int = try Self.position(of: name, among: model.inputs, "input")
      try model.makePicture(ofInput: position, try picture.port(name))
    }
    if !pictureInputs.isEmpty {
      let stated: [[Extent]?] = model.outputs.map(\.extents)
      model.inferOutputs()
      // The conversion of inputs to pictures changes at most the order of the inputs' axes. So the output shapes that
      // custom layers state remain valid.
      for position in model.outputs.indices where model.outputs[position].extents == nil {
        model.outputs[position].extents = stated[position]
      }
    }
    for (name, picture) in pictureOutputs.sorted(by: { $0.key < $1.key }) {
      let position: Int = try Self.position(of: name, among: model.outputs, "output")
      try model.makePicture(ofOutput: position, try picture.port(name))
    }
    if !classLabels.isEmpty { try classify(&model) }
    for (old, new) in names.sorted(by: { $0.key < $1.key }) { try model.rename(old, to: new) }
    model.metadata.add(metadata)
    return model
  }

  private func classify(_ model: inout GraphModel) throws {
    let output: Int
    if let classOutput {
      output = try Self.position(of: classOutput, among: model.outputs, "output")
    } else {
      guard model.outputs.count == 1 else {
        throw EngineError(
          .invalidInput,
          "The model has \(model.outputs.count) outputs. Name the one with the probabilities of the"
            + " \(classLabels.count) classes."
        )
      }
      output = 0
    }
    let sizes: [Int?]? = model.outputs[output].extents?.map(\.fixed)
    if let sizes {
      let known: [Int] = sizes.compactMap { $0 }
      let count: Int = Shape(known).count
      guard known.count < sizes.count || count == classLabels.count else {
        throw EngineError(
          .invalidInput,
          "There are \(classLabels.count) class labels, but the output"
            + " '\(model.outputs[output].name)' has \(count) numbers."
        )
      }
    }
    model.classes = GraphModel.Classes(classLabels, output: output)
  }

  private static func position(
    of name: String, among features: [GraphModel.Feature], _ kind: String
  ) throws -> Int {
    if let position = features.firstIndex(where: { $0.name == name }) { return position }
    let known: String = features.map { "'\($0.name)'" }.joined(separator: ", ")
    throw EngineError(
      .invalidInput,
      "The model has no \(kind) '\(name)'; it has \(known.isEmpty ? "none" : known).")
  }
}

extension ModelConversion.PictureInput {
  /// Converts the description of a picture to a port with one scale and one bias per channel.
  fileprivate func port(_ name: String) throws -> Graph.ImagePort {
    var port = Graph.ImagePort(order)
    func spread(_ numbers: [Float], _ standard: Float, _ word: String) throws -> [Float] {
      switch numbers.count {
      case 0: return Array(repeating: standard, count: port.channels)
      case 1: return Array(repeating: numbers[0], count: port.channels)
      case port.channels: return numbers
      default:
        throw EngineError(
          .invalidInput,
          "The picture '\(name)' has \(numbers.count) numbers as its \(word), expected 1 or \(port.channels)."
        )
      }
    }
    port.scale = try spread(scale, 1, "scale")
    port.bias = try spread(bias, 0, "bias")
    return port
  }
}

extension GraphModel {
  /// Renames an input or output.
  fileprivate mutating func rename(_ old: String, to new: String) throws {
    let others: [String] = (inputs + outputs).map(\.name) + [classes?.labelName].compactMap { $0 }
    guard !others.contains(new) else {
      throw EngineError(
        .invalidInput,
        "'\(old)' cannot be renamed to '\(new)', because the model has an input or output of this"
          + " name.")
    }
    if let position = inputs.firstIndex(where: { $0.name == old }) {
      inputs[position].name = new
    } else if let position = outputs.firstIndex(where: { $0.name == old }) {
      outputs[position].name = new
    } else if classes?.labelName == old {
      classes?.labelName = new
    } else {
      let known: String = others.map { "'\($0)'" }.joined(separator: ", ")
      throw EngineError(
        .invalidInput, "The model has no input or output '\(old)'; it has \(known).")
    }
  }
}

extension GraphModel.Metadata {
  /// Replaces the fields for which `more` has a value.
  fileprivate mutating func add(_ more: GraphModel.Metadata) {
    if !more.summary.isEmpty { summary = more.summary }
    if !more.author.isEmpty { author = more.author }
    if !more.license.isEmpty { license = more.license }
    if !more.version.isEmpty { version = more.version }
    other.merge(more.other) { $1 }
  }
}
