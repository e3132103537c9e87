import Arguments
import ModelTools

/// A model's summary as text, in rows. The rows of a pipeline's stages are indented.
struct SummaryText {
  private var rows: [(String, String)] = []

  /// Formats a summary as rows.
  init(_ summary: ModelSummary) {
    rows = [("file", summary.file)]
    add(summary)
  }

  /// The text, ended by a line break.
  var text: String { columns(rows) }

  private mutating func add(_ summary: ModelSummary, indent: String = "") {
    func row(_ key: String, _ value: String) { rows.append((indent + key, value)) }
    row("type", summary.type)
    if summary.specificationVersion > 0 {
      row("specification", "version \(summary.specificationVersion)")
    }
    if summary.isUpdatable { row("updatable", "yes") }
    for (key, value) in summary.metadata.sorted(by: { $0.key < $1.key }) {
      key.count < 16 ? row(key, value) : row("", "\(key): \(value)")
    }
    for input in summary.inputs { row("input", Self.words(input)) }
    for output in summary.outputs { row("output", Self.words(output)) }
    for state in summary.states { row("state", Self.words(state)) }
    if !summary.layers.isEmpty {
      let total: Int = summary.layers.reduce(0) { $0 + $1.count }
      row("layers", "\(total)\n" + Self.words(summary.layers))
    }
    if !summary.customLayers.isEmpty {
      row("custom layers", summary.customLayers.map(Self.words).joined(separator: "\n"))
    }
    for function in summary.functions ?? [] { add(function, indent) }
    let weights: ModelSummary.Weights = summary.weights
    if weights.count > 0 {
      let forms: String = weights.storage.sorted { $0.key < $1.key }
        .map { "\($0.value.groupedText) \($0.key)" }.joined(separator: ", ")
      row("weights", "\(weights.count.groupedText) in \(weights.bytes.byteText): \(forms)")
    }
    if let training = summary.training { add(training, indent) }
    let stages: [ModelSummary] = summary.stages ?? []
    for (number, stage) in stages.enumerated() {
      row("stage \(number + 1) of \(stages.count)", stage.file)
      add(stage, indent: indent + "  ")
    }
  }

  private mutating func add(_ function: ProgramFunction, _ indent: String) {
    let total: Int = function.operations.reduce(0) { $0 + $1.count }
    let lines: [String] =
      ["\(function.name) (\(function.operationSet)), \(total) operations"]
      + function.inputs.map { "takes \($0.name): \($0.type)" }
      + function.outputs.map { "gives \($0.name): \($0.type)" }
      + [Self.words(function.operations)]
    rows.append((indent + "function", lines.joined(separator: "\n")))
  }

  private mutating func add(_ training: TrainingSummary, _ indent: String) {
    func row(_ key: String, _ lines: [String]) {
      guard !lines.isEmpty else { return }
      rows.append((indent + key, lines.joined(separator: "\n")))
    }
    row("learns from", training.inputs.map(Self.words))
    row(
      "learns in",
      training.layers.map { layer in
        "\(layer.kind) '\(layer.name)': \(layer.parts.joined(separator: " and ")),"
          + " \(layer.parameterCount.groupedText) numbers"
      })
    row("loss", training.losses.map { "\($0.kind) of '\($0.input)' and '\($0.target)'" })
    row("optimiser", training.optimizer.map { [$0] } ?? [])
    row(
      "set for training",
      training.parameters.map { parameter in
        "\(parameter.name) \(parameter.value)" + Self.allowed(parameter)
      })
  }

  private static func allowed(_ parameter: TrainingSummary.Parameter) -> String {
    if let minimum = parameter.minimum, let maximum = parameter.maximum {
      return " (allowed: \(minimum) to \(maximum))"
    }
    let values: [String]? = parameter.allowed?.map(\.description)
    return values.map { " (allowed: \($0.joined(separator: ", ")))" } ?? ""
  }

  private static func words(_ layer: CustomLayerSummary) -> String {
    let parameters: String = layer.parameters.sorted { $0.key < $1.key }
      .map { "\($0.key) = \($0.value)" }.joined(separator: ", ")
    let parts: [String] = [layer.summary, parameters].filter { !$0.isEmpty }
    let weights: String =
      layer.parameterCount > 0 ? ", \(layer.parameterCount.groupedText) weights" : ""
    return "\(layer.count) × \(layer.name)\(weights)"
      + (parts.isEmpty ? "" : ": " + parts.joined(separator: "; "))
  }

  private static func words(_ feature: ModelSummary.Feature) -> String {
    "\(feature.name): \(feature.type)"
      + (feature.summary.isEmpty ? "" : "\n\(feature.summary)")
  }

  private static func words(_ counts: [ModelSummary.Count]) -> String {
    counts.map { "\($0.count) × \($0.name)" }.joined(separator: ", ")
  }
}
