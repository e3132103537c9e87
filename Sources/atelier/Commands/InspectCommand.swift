import Arguments
import Conversion
import CoreML
import Engine
import Foundation
import Imaging
import ModelFormat
import ModelTools

/// `atelier inspect`: shows a model at one of its stages.
enum InspectCommand: Command {
  static let syntax = CommandSyntax(
    "inspect", summary: "Shows a model: its file, its graph, or how this machine computes it.",
    operands: [
      .init("MODEL", help: "A model of any supported format, or a fetched model's name.")
    ],
    options: [
      .init(
        "stage", value: "STAGE", choices: ["model", "layers", "program", "graph", "plan"],
        help: "model: the content of the file (default).\n"
          + "layers: shape and number of parameters of each layer.\n"
          + "program: an ML Program as MIL text.\n"
          + "graph: the operators, with shapes.\n"
          + "plan: the kernels that this machine runs."),
      .init(
        "size", value: "N|WxH",
        help: "The size of pictures for graph and plan (default: the model's)."),
      .init("json", help: "Prints JSON."),
    ] + ModelOptions.declarations)

  static func run(_ arguments: ParsedArguments) throws {
    let stage: String =
      try arguments.choice("stage", of: ["model", "layers", "program", "graph", "plan"]) ?? "model"
    let size: PictureSize? = try arguments.pictureSize("size")
    let options = try ModelOptions(arguments)
    let location: URL = try ModelLocation.resolve(arguments.operands[0])
    let asJSON: Bool = arguments.has("json")
    if let reader = ModelReaders.foreignReader(of: location) {
      var reading: ReadingOptions = options.reading
      // This stage shows only what the file contains, so it does not need the classes of the model's custom layers.
      if stage == "model" { reading.makeCustomLayer = MLCustomLayerRegistry.passthroughFactory }
      let model: GraphModel = try reader.read(location, options: reading)
      return try show(
        model, reader.formatName, name: location.lastPathComponent, stage, options, size, asJSON)
    }
    let file = try ModelFile.open(location, options.configuration)
    guard stage != "model" else {
      let summary = ModelSummary(file)
      return asJSON ? try Output.json(summary) : Output.write(SummaryText(summary).text)
    }
    var isProgram = false
    if case .mlProgram? = file.model.type { isProgram = true }
    guard stage != "layers" || isProgram else {
      let table = try LayerTable(file, makeCustomLayer: MLCustomLayerRegistry.engineFactory)
      return asJSON ? try Output.json(table) : print(table)
    }
    guard stage != "program" else {
      let listing = try ProgramListing(file)
      return asJSON ? try Output.json(listing) : Output.line(listing.text)
    }
    let (network, types) = try network(of: file, at: location, options, size)
    try show(network, types, location.lastPathComponent, stage, options, asJSON)
  }

  /// Shows a model that was read from a file of a format other than Core ML's.
  private static func show(
    _ model: GraphModel, _ format: String, name: String, _ stage: String, _ options: ModelOptions,
    _ size: PictureSize?, _ asJSON: Bool
  ) throws {
    switch stage {
    case "model":
      let summary = ModelSummary(model, format: format, name: name)
      asJSON ? try Output.json(summary) : Output.write(SummaryText(summary).text)
    case "program":
      throw CommandError(
        "'\(name)' is \(format), not an ML Program; convert it first: `atelier convert \(name) -o"
          + " NAME.mlpackage`."
      )
    default:
      let loaded = try MLModel(graph: model, configuration: options.configuration)
      guard let (network, types) = try loaded.network(pictures: size) else { return }
      try show(network, types, name, stage, options, asJSON)
    }
  }

  private static func show(
    _ network: Network, _ types: [TensorType], _ name: String, _ stage: String,
    _ options: ModelOptions, _ asJSON: Bool
  ) throws {
    if stage == "graph" || stage == "layers" {
      var typed: Graph = network.graph
      try typed.inferTypes(from: types)
      if stage == "layers" {
        let table = LayerTable(typed, name: name)
        return asJSON ? try Output.json(table) : print(table)
      }
      let listing = GraphListing(typed)
      asJSON ? try Output.json(listing) : print(listing)
    } else {
      let plan: PlannedRun = try network.plan(for: types, measuresNow: true).plan.wholeRun()
      let listing = PlanListing(
        plan, precision: network.options.precision, device: MLModel.computeDeviceText)
      asJSON ? try Output.json(listing) : print(listing)
      if let sentence = Device.sentence(options.configuration.computeUnits) {
        Output.note(sentence)
      }
    }
  }

  /// Returns the network of a model, and the types of the network's inputs. The types are those that the model
  /// declares. But if `size` is given, pictures have this size.
  private static func network(
    of file: ModelFile, at location: URL, _ options: ModelOptions, _ size: PictureSize?
  ) throws -> (Network, [TensorType]) {
    if case .mlProgram? = file.model.type {
      let model = try MLModel(contentsOf: location, configuration: options.configuration)
      if let found = try model.network(pictures: size) { return found }
    }
    let inspected = try InspectedNetwork(
      file, makeCustomLayer: MLCustomLayerRegistry.engineFactory)
    let execution = options.configuration.executionOptions(for: file.model)
    return (inspected.network(execution), try inspected.inputTypes(pictures: size))
  }

  private static func print(_ listing: GraphListing) {
    func words(_ value: GraphListing.Value) -> String {
      "\(value.name ?? "?"): \(value.type ?? "a shape that depends on data")"
    }
    for input in listing.inputs { Output.line("in   \(words(input))") }
    for node in listing.nodes {
      Output.line(
        "     \(node.kind) '\(node.name)' (\(node.inputs.joined(separator: ", ")))"
          + " → \(node.outputs.map(words).joined(separator: ", "))")
    }
    for output in listing.outputs { Output.line("out  \(words(output))") }
  }

  private static func print(_ table: LayerTable) {
    let indent = table.stages.isEmpty ? "" : "  "
    for row in table.rows {
      let updatable: String =
        row.updatableCount > 0 ? " (\(row.updatableCount.groupedText) updatable)" : ""
      Output.line(
        "\(row.kind) '\(row.name)' (\(row.inputs.joined(separator: ", ")))"
          + " → \(row.outputs.map { $0.type ?? "?" }.joined(separator: ", ")):"
          + " \(row.parameterCount.groupedText) parameters\(updatable)")
    }
    for stage in table.stages {
      Output.line("\(indent)\(stage.file)")
      print(stage)
    }
    Output.line(
      "\(table.file): \(table.parameterCount.groupedText) parameters,"
        + " \(table.updatableCount.groupedText) of them updatable")
  }

  private static func print(_ listing: PlanListing) {
    func words(_ tensors: [ListedTensor]) -> String {
      tensors.compactMap(\.type).joined(separator: "; ")
    }
    for call in listing.calls {
      Output.line("\(call.kind) '\(call.name)': \(call.kernel)")
      Output.line(
        "    \(words(call.inputs)) → \(words(call.outputs))")
    }
    Output.line(
      "\(listing.calls.count) calls, \(listing.threads) threads, \(listing.precision); memory per"
        + " prediction \(listing.sessionBytes.byteText), packed weights"
        + " \(listing.weightBytes.byteText); computed on \(listing.device)")
  }
}
