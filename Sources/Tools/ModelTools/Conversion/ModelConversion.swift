import Conversion
import Engine
import Foundation
import ModelFormat
import NeuralNetworkFormat

/// How a model of one format becomes one of another: what the author says that the file does not.
///
///     var conversion = ModelConversion()
///     conversion.pictureInputs["data"] = .init(.bgr, bias: [-104, -117, -123])
///     conversion.metadata.author = "Ada"
///     try conversion.convert(caffemodel, to: package)
public struct ModelConversion: Sendable {
  /// How a picture is to be read: a sample `v` of 0…255 becomes `scale · v + bias`.
  public struct PictureInput: Sendable {
    /// The order of the colours.
    public var order: Graph.ImagePort.ColorOrder
    /// The factor: one for all colours, or one each in their order. Empty is 1.
    public var scale: [Float]
    /// What is added: one number for all colours, or one each in their order. Empty is 0.
    public var bias: [Float]

    /// A picture whose samples pass unchanged unless told otherwise.
    public init(
      _ order: Graph.ImagePort.ColorOrder = .rgb, scale: [Float] = [], bias: [Float] = []
    ) {
      self.order = order
      self.scale = scale
      self.bias = bias
    }
  }

  /// What is said of the file while it is read: extents, files that belong to it.
  public var reading = ReadingOptions()
  /// What is said of the file that is written.
  public var writing = WritingOptions()
  /// New names of inputs and outputs, by their names in the file.
  public var names: [String: String] = [:]
  /// The inputs that become pictures, by their names in the file.
  public var pictureInputs: [String: PictureInput] = [:]
  /// The outputs that become pictures, by their names in the file: what is computed becomes
  /// `scale · x + bias` before it is rounded to 0…255.
  public var pictureOutputs: [String: PictureInput] = [:]
  /// The classes, in the order of the probabilities.
  public var classLabels: [String] = []
  /// The output with the probabilities, by its name in the file; the only output unless told otherwise.
  public var classOutput: String?
  /// What people are told of the model; what is empty stays as the file says it.
  public var metadata = GraphModel.Metadata()

  /// Nothing but what the file says.
  public init() {}

  /// Reads a file, says what is to be said, and writes another.
  ///
  /// - Throws: A sentence that names the file, the layer or the option.
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

  /// Whether a file goes on learning on the device and what becomes of it does not: only layers learn.
  public static func losesLearning(_ source: URL, to target: URL) throws -> Bool {
    try ModelWriters.writer(for: target) != NeuralNetworkFile.self && learning(of: source) != nil
  }

  private static func learning(of source: URL) -> NetworkLearning? {
    guard CoreMLReader.recognizes(source, head: []) else { return nil }
    return (try? ModelFile.open(source)).flatMap { NetworkLearning(of: $0.model) }
  }

  /// A model with what is said of it.
  public func applied(to given: GraphModel) throws -> GraphModel {
    var model: GraphModel = given
    for (name, picture) in pictureInputs.sorted(by: { $0.key < $1.key }) {
      let position: Int = try Self.position(of: name, among: model.inputs, "input")
      try model.makePicture(ofInput: position, try picture.port(name))
    }
    if !pictureInputs.isEmpty {
      let stated: [[Extent]?] = model.outputs.map(\.extents)
      model.inferOutputs()
      // What was said of layers that cannot be asked holds for pictures too, as only the axes' order may change.
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
          "The model has \(model.outputs.count) outputs; say which holds the probabilities of the \(classLabels.count) classes."
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
          "There are \(classLabels.count) class labels, but the output '\(model.outputs[output].name)' holds \(count) numbers."
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
  /// The port, with a number for each colour.
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
  /// Gives an input or output another name.
  fileprivate mutating func rename(_ old: String, to new: String) throws {
    let others: [String] = (inputs + outputs).map(\.name) + [classes?.labelName].compactMap { $0 }
    guard !others.contains(new) else {
      throw EngineError(
        .invalidInput, "'\(old)' cannot be called '\(new)': the model has one already.")
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
  /// Takes over what another one says.
  fileprivate mutating func add(_ more: GraphModel.Metadata) {
    if !more.summary.isEmpty { summary = more.summary }
    if !more.author.isEmpty { author = more.author }
    if !more.license.isEmpty { license = more.license }
    if !more.version.isEmpty { version = more.version }
    other.merge(more.other) { $1 }
  }
}
