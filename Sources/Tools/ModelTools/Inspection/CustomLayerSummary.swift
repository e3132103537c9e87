import Engine
import ModelFormat
import Operators

/// A class of custom layers, and how a network uses it.
public struct CustomLayerSummary: Encodable, Sendable, Hashable {
  /// The name of the class, which an app implements.
  public let name: String
  /// How many layers of the network have this class, description and parameters.
  public internal(set) var count: Int
  /// The description that the converter wrote into the file for the layer.
  public let summary: String
  /// The parameters that the network passes to the class.
  public let parameters: [String: ListedParameter]
  /// The number of weights of all layers that ``count`` counts.
  public internal(set) var parameterCount: Int

  /// Summarises the custom layers of a network. The most frequent class is first.
  static func all(of layers: [Spec.NeuralNetworkLayer]) -> [CustomLayerSummary] {
    counted(
      layers.compactMap { layer in
        if case .custom(let custom)? = layer.layer { CustomLayerSummary(custom) } else { nil }
      })
  }

  /// Summarises the custom layers of a graph. The most frequent class is first.
  static func all(of graph: Graph) -> [CustomLayerSummary] {
    counted(
      graph.nodes.compactMap { ($0.operation as? CustomLayer).map { CustomLayerSummary($0) } })
  }

  private static func counted(_ layers: [CustomLayerSummary]) -> [CustomLayerSummary] {
    var found: [CustomLayerSummary] = []
    for layer in layers {
      if let place = found.firstIndex(where: { $0.isLike(layer) }) {
        found[place].count += 1
        found[place].parameterCount += layer.parameterCount
      } else {
        found.append(layer)
      }
    }
    return found.sorted { ($1.count, $0.name) < ($0.count, $1.name) }
  }

  /// Summarises custom layers from the names of their classes alone. The most frequent class is first.
  static func all(ofClasses names: [String]) -> [CustomLayerSummary] {
    ModelSummary.counts(names).map { CustomLayerSummary($0.name, count: $0.count) }
  }

  private init(_ name: String, count: Int) {
    self.name = name
    self.count = count
    summary = ""
    parameters = [:]
    parameterCount = 0
  }

  private init(_ custom: Spec.CustomLayerParams) {
    name = custom.className
    count = 1
    summary = custom.description
    parameters = custom.parameters.mapValues { value in
      switch value.value {
      case .doubleValue(let number)?: .number(number)
      case .stringValue(let text)?: .text(text)
      case .intValue(let number)?: .integer(Int64(number))
      case .longValue(let number)?: .integer(number)
      case .boolValue(let flag)?: .flag(flag)
      case nil: .nothing
      }
    }
    parameterCount = custom.weights.reduce(0) { $0 + $1.storedCount }
  }

  private init(_ layer: CustomLayer) {
    name = layer.className
    count = 1
    summary = layer.summary
    parameters = layer.parameters.mapValues { value in
      switch value {
      case .double(let number): .number(number)
      case .string(let text): .text(text)
      case .integer(let number): .integer(Int64(number))
      case .long(let number): .integer(number)
      case .bool(let flag): .flag(flag)
      }
    }
    // Readers of other formats convert all weights of custom layers to float32, which takes four bytes per weight.
    parameterCount = layer.weights().reduce(0) { $0 + $1.count / 4 }
  }

  private func isLike(_ other: CustomLayerSummary) -> Bool {
    name == other.name && summary == other.summary && parameters == other.parameters
  }
}
