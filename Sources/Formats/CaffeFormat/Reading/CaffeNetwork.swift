import Graph

/// A network with the layers that run at inference. The architecture comes from one file. The weights may come from
/// another file.
struct CaffeNetwork {
  /// An input of the network. Its shape is nil if the file states no shape for it.
  struct Input {
    let name: String
    let shape: [Int]?
  }

  /// The network's name, which may be empty.
  let name: String
  /// The inputs in the order of the file.
  private(set) var inputs: [Input] = []
  /// The layers in the order of execution.
  private(set) var layers: [CaffeLayer] = []

  /// The names of the architecture file and of the weights file, for messages.
  typealias FileNames = (architecture: String, weights: String?)

  /// Joins the layers with their weights. The weights file stores the weights by layer name. Weights that the
  /// architecture file itself holds for a layer have priority.
  init(architecture: CaffeMessage, weights: CaffeMessage?, names: FileNames) throws {
    name = architecture.word("name") ?? ""
    var stored: [String: [CaffeMessage]] = [:]
    for layer in Self.layers(of: weights ?? CaffeMessage()) {
      let blobs: [CaffeMessage] = layer.messages("blobs")
      if !blobs.isEmpty { stored[layer.word("name") ?? ""] = blobs }
    }
    inputs = try Self.inputs(of: architecture)
    let all: [CaffeMessage] = try Self.layers(of: architecture).filter(Self.runs)
    guard !all.isEmpty else {
      throw EngineError(
        .invalidModel,
        "'\(names.architecture)' holds no layers, expected a Caffe network. It may be a solver, or truncated."
      )
    }
    for message in all {
      let name: String = message.word("name") ?? message.words("top").first ?? ""
      let own: [CaffeMessage] = message.messages("blobs")
      let layer = CaffeLayer(
        name: name, type: CaffeSchema.type(named: message.word("type") ?? ""),
        bottoms: message.words("bottom"), tops: message.words("top"), message: message,
        blobs: own.isEmpty ? stored[name] ?? [] : own, weightsFile: names.weights)
      if try !takesInput(layer) { layers.append(layer) }
    }
  }

  private static func layers(of network: CaffeMessage) -> [CaffeMessage] {
    network.messages("layer") + network.messages("layers")
  }

  private static func inputs(of network: CaffeMessage) throws -> [Input] {
    let names: [String] = network.words("input")
    let shapes: [[Int]] = try network.messages("input_shape").map { try $0.ints("dim") }
    let flat: [Int] = try network.ints("input_dim")
    return names.enumerated().map { index, name in
      if shapes.indices.contains(index) { return Input(name: name, shape: shapes[index]) }
      let four: [Int] = Array(flat.dropFirst(4 * index).prefix(4))
      return Input(name: name, shape: four.count == 4 ? four : nil)
    }
  }

  /// Returns whether a layer runs at inference: in phase TEST, at level 0, in the stage `deploy`.
  private static func runs(_ layer: CaffeMessage) throws -> Bool {
    let included: [CaffeMessage] = layer.messages("include")
    if !included.isEmpty { return try included.contains(where: isMet) }
    return try !layer.messages("exclude").contains(where: isMet)
  }

  /// Returns whether a layer's `include` or `exclude` rule applies at inference.
  private static func isMet(_ rule: CaffeMessage) throws -> Bool {
    try ["TEST", "1"].contains(rule.word("phase") ?? "TEST")
      && rule.int("min_level", or: 0) <= 0 && rule.int("max_level", or: 0) >= 0
      && rule.words("stage").allSatisfy { $0 == "deploy" }
      && !rule.words("not_stage").contains("deploy")
  }

  /// Adds the inputs that an input layer provides. Returns false if the layer is not an input layer. The first top of a
  /// data layer is the image. A second top is the label, which inference does not need.
  private mutating func takesInput(_ layer: CaffeLayer) throws -> Bool {
    switch layer.type {
    case "Input":
      let shapes: [[Int]] = try layer.message.message("input_param").messages("shape").map {
        try $0.ints("dim")
      }
      for (index, top) in layer.tops.enumerated() {
        let shape: [Int]? = shapes.count == 1 ? shapes[0] : shapes.dropFirst(index).first
        inputs.append(Input(name: top, shape: shape))
      }
    case "MemoryData":
      let sizes: [Int] = try ["batch_size", "channels", "height", "width"].map {
        try layer.message.message("memory_data_param").int($0, or: 0)
      }
      layer.tops.first.map { inputs.append(Input(name: $0, shape: sizes)) }
    case "Data", "ImageData", "HDF5Data", "WindowData", "DummyData", "AnnotatedData":
      let size: Int = try layer.message.message("transform_param").int("crop_size", or: 0)
      let shape: [Int]? = size > 0 ? [1, 3, size, size] : nil
      layer.tops.first.map { inputs.append(Input(name: $0, shape: shape)) }
    default: return false
    }
    return true
  }
}
