import Engine
import ModelFormat

/// A model layer by layer with what each has learned, as `model.summary()` of Keras shows one: the
/// stage `layers` of `atelier inspect`.
public struct LayerTable: Encodable, Sendable {
  /// A layer.
  public struct Row: Encodable, Sendable {
    /// Its name in the model.
    public let name: String
    /// Its kind by the specification's name; a custom layer's class.
    public let kind: String
    /// What it gives.
    public let outputs: [ListedTensor]
    /// How many numbers it has learned.
    public let parameterCount: Int
    /// How many of them further training may change.
    public let updatableCount: Int
    /// What it reads.
    public let inputs: [String]
  }

  /// The file's name; a stage's within a pipeline.
  public let file: String
  /// The layers in their order.
  public let rows: [Row]
  /// The numbers of all layers.
  public let parameterCount: Int
  /// How many of them further training may change.
  public let updatableCount: Int
  /// The models of a pipeline; empty for other models.
  public let stages: [LayerTable]

  /// Lists a file; throws ``ModelToolsError`` for a model that has no layers.
  public init(_ file: ModelFile, makeCustomLayer: @escaping CustomLayerFactory) throws {
    let graph: Graph? = try? InspectedNetwork(file, makeCustomLayer: makeCustomLayer)
      .declaredGraph()
    self.init(file.model, name: file.name.trimmingCharacters(in: ["'"]), graph: graph)
    guard !rows.isEmpty || !stages.isEmpty else {
      throw ModelToolsError(
        .unsupported,
        "Model \(file.name) is of type \(file.model.kindName), which has no layers to list;"
          + " `atelier inspect` without --stage shows what the file says.")
    }
  }

  /// Lists a graph whose types are inferred, of an ML Program or of a file of another format: each operation
  /// with the constants that it reads. Whole numbers (axes and extents) are no parameters.
  public init(_ graph: Graph, name: String) {
    file = name
    var counted: Set<Int> = []
    rows = graph.nodes.map { node in
      let constants = node.inputs.filter { input in
        guard let constant = graph[input].constant else { return false }
        return ![.int32, .int64, .bool].contains(constant.type.element)
          && counted.insert(input.index).inserted
      }
      return Row(
        name: node.name, kind: node.operation.name,
        outputs: node.outputs.map { ListedTensor(graph[$0]) },
        parameterCount: constants.reduce(0) { $0 + (graph[$1].constant?.type.shape.count ?? 0) },
        updatableCount: 0,
        inputs: node.inputs.filter { graph[$0].constant == nil }.map { graph[$0].name })
    }
    parameterCount = rows.reduce(0) { $0 + $1.parameterCount }
    updatableCount = 0
    stages = []
  }

  private init(_ model: Spec.Model, name: String, graph: Graph?) {
    file = name
    var types: [String: TensorType] = [:]
    if let graph {
      for value in graph.values { types[value.name] = value.type }
    }
    rows = model.neuralLayers.map { Row($0, types) }
    stages = (model.stages ?? []).map { LayerTable($0.model, name: $0.name, graph: nil) }
    parameterCount =
      rows.reduce(0) { $0 + $1.parameterCount } + stages.reduce(0) { $0 + $1.parameterCount }
    updatableCount =
      rows.reduce(0) { $0 + $1.updatableCount } + stages.reduce(0) { $0 + $1.updatableCount }
  }
}

extension LayerTable.Row {
  fileprivate init(_ layer: Spec.NeuralNetworkLayer, _ types: [String: TensorType]) {
    name = layer.name
    if case .custom(let custom)? = layer.layer {
      kind = custom.className
    } else {
      kind = layer.layer?.fieldName ?? "unknown"
    }
    outputs = layer.output.map { ListedTensor(name: $0, types[$0]) }
    inputs = layer.input
    var weights = ModelSummary.Weights()
    layer.layer.map { weights.add(allIn: $0) }
    parameterCount = weights.count
    updatableCount = layer.isUpdatable ? weights.updatableCount : 0
  }
}

extension InspectedNetwork {
  /// The graph with the types that the declared inputs give.
  fileprivate func declaredGraph() throws -> Graph { try typedGraph(for: try inputTypes()) }
}
