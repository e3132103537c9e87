import Engine
import Foundation
import ModelFormat

/// The summary of a model file, which is the first stage of `atelier inspect`.
public struct ModelSummary: Encodable, Sendable {
  /// A name and how often it occurs, for example a kind of layer.
  public struct Count: Encodable, Sendable {
    /// The name.
    public let name: String
    /// How often it occurs.
    public let count: Int
  }

  /// The weights of all layers together.
  public struct Weights: Encodable, Sendable {
    /// The number of weights.
    public internal(set) var count = 0
    /// The size of the weights in the file, in bytes.
    public internal(set) var bytes = 0
    /// The number of weights by the type in which the file stores them, such as `float16`.
    public internal(set) var storage: [String: Int] = [:]
    /// The number of updatable weights.
    public internal(set) var updatableCount = 0
  }

  /// The name of the file, or of a stage in a pipeline.
  public let file: String
  /// The type of the model as the specification names it.
  public let type: String
  /// The version of the specification that the file needs.
  public let specificationVersion: Int
  /// Whether the model is updatable.
  public let isUpdatable: Bool
  /// The author, the licence, the description and the author's other entries.
  public let metadata: [String: String]
  /// The inputs.
  public let inputs: [Feature]
  /// The outputs.
  public let outputs: [Feature]
  /// The states. The model keeps them from one prediction to the next.
  public let states: [Feature]
  /// How often each kind of layer occurs. The most frequent kind is first.
  public let layers: [Count]
  /// The classes of custom layers.
  public let customLayers: [CustomLayerSummary]
  /// The number and the size of all weights.
  public let weights: Weights
  /// The training settings. Nil for a model that is not updatable.
  public let training: TrainingSummary?
  /// The summaries of a pipeline's models, in the order in which they run. Nil for a model of another type.
  public let stages: [ModelSummary]?
  /// The summaries of an ML Program's functions. Nil for a model of another type.
  public let functions: [ProgramFunction]?

  /// Summarises a file.
  public init(_ file: ModelFile) {
    self.init(file.model, name: file.name.trimmingCharacters(in: ["'"]))
  }

  private init(_ model: Spec.Model, name: String) {
    let description: Spec.ModelDescription = model.description ?? Spec.ModelDescription()
    let layers: [Spec.NeuralNetworkLayer] = NeuralNetworkMessage(model)?.layers ?? []
    file = name
    type = model.kindName
    specificationVersion = Int(model.specificationVersion)
    isUpdatable = model.isUpdatable
    metadata = Self.metadata(description.metadata)
    inputs = description.input.map(Feature.init)
    outputs = description.output.map(Feature.init)
    states = description.state.map(Feature.init)
    self.layers = Self.counts(layers.map { $0.layer?.fieldName ?? "unknown" })
    customLayers = CustomLayerSummary.all(of: layers)
    training = TrainingSummary(model)
    var weights = Weights()
    model.type.map { weights.add(allIn: $0) }
    self.weights = weights
    stages = model.stages?.map { ModelSummary($0.model, name: $0.name) }
    functions =
      if case .mlProgram(let program)? = model.type { ProgramFunction.all(of: program) } else {
        nil
      }
  }

  /// Summarises a model that was read from a file of another format.
  ///
  /// - Parameter format: The format's name.
  public init(_ model: GraphModel, format: String, name: String) {
    let description = Spec.ModelDescription(model)
    file = name
    type = format
    specificationVersion = 0
    isUpdatable = false
    metadata = Self.metadata(description.metadata)
    inputs = description.input.map(Feature.init)
    outputs = description.output.map(Feature.init)
    states = description.state.map(Feature.init)
    layers = Self.counts(model.graph.nodes.map(\.operation.name))
    customLayers = CustomLayerSummary.all(
      ofClasses: model.graph.nodes.compactMap { ($0.operation as? CustomLayer)?.className })
    training = nil
    var weights = Weights()
    for constant in model.graph.values.lazy.compactMap(\.constant) { weights.add(constant) }
    self.weights = weights
    stages = nil
    functions = nil
  }

  private static func metadata(_ message: Spec.Metadata?) -> [String: String] {
    guard let message else { return [:] }
    var result: [String: String] = message.userDefined
    result["description"] = message.shortDescription
    result["author"] = message.author
    result["licence"] = message.license
    result["version"] = message.versionString
    return result.filter { !$0.value.isEmpty }
  }

  /// Counts how often each name occurs. The most frequent name is first.
  static func counts(_ names: [String]) -> [Count] {
    Dictionary(grouping: names) { $0 }.map { Count(name: $0.key, count: $0.value.count) }
      .sorted { ($1.count, $0.name) < ($0.count, $1.name) }
  }
}

extension ModelSummary.Weights {
  /// Counts the weights of a constant.
  fileprivate mutating func add(_ constant: Constant) {
    count += constant.count
    bytes += constant.stored?.byteCount ?? constant.type.element.byteCount(of: constant.count)
    let form: String =
      constant.stored.map { $0.storedElement.map { "\($0)" } ?? "quantized" }
      ?? "\(constant.type.element)"
    storage[form, default: 0] += constant.count
  }

  /// Counts the weights of a message and of all messages within it.
  mutating func add(allIn message: Any) {
    if let weights = message as? Spec.WeightParams {
      let stored: Int = weights.storedCount
      count += stored
      if weights.isUpdatable { updatableCount += stored }
      bytes +=
        weights.floatValue.bytes.count + weights.float16Value.count + weights.rawValue.count
        + weights.int8RawValue.count
      if stored > 0 { storage["\(weights.storage)", default: 0] += stored }
      return
    }
    if message is FloatValues || message is ByteValues || message is UnknownFields { return }
    for child in Mirror(reflecting: message).children { add(allIn: child.value) }
  }
}
