import Arguments
import CoreML
import Engine
import Foundation
import Imaging
import ModelFormat
import ModelTools

/// `atelier inspect`: a model at one of its stages.
enum InspectCommand: Command {
  static let syntax = CommandSyntax(
    "inspect", summary: "Shows what a model is: its file, its graph, or how this machine runs it.",
    operands: [
      .init("MODEL", help: "A .mlmodel, .mlpackage or .mlmodelc, or a fetched model's name.")
    ],
    options: [
      .init(
        "stage", value: "STAGE",
        help: "model: what the file says (the default).\n"
          + "program: an ML Program in MIL's own text.\n"
          + "graph: what it means, layer by layer, with shapes.\n"
          + "plan: how this machine computes it, kernel by kernel."),
      .init(
        "size", value: "N|WxH", help: "The size of pictures for graph and plan; the model's own."),
      .init("json", help: "As JSON."),
    ] + ModelOptions.declarations)

  static func run(_ arguments: ParsedArguments) throws {
    let stage = try arguments.choice("stage", of: ["model", "program", "graph", "plan"]) ?? "model"
    let size: PictureSize? = try arguments.pictureSize("size")
    let options = try ModelOptions(arguments)
    let file = try ModelFile.open(ModelLocation.resolve(arguments.operands[0]))
    let asJSON: Bool = arguments.has("json")
    guard stage != "model" else {
      let summary = ModelSummary(file)
      return asJSON ? try Output.json(summary) : Output.write(SummaryText(summary).text)
    }
    guard stage != "program" else {
      let listing = try ProgramListing(file)
      return asJSON ? try Output.json(listing) : Output.line(listing.text)
    }
    let inspected = try InspectedNetwork(
      file, makeCustomLayer: MLCustomLayerRegistry.engineFactory)
    let types: [TensorType] = try inspected.inputTypes(pictures: size)
    if stage == "graph" {
      let listing = GraphListing(try inspected.typedGraph(for: types))
      asJSON ? try Output.json(listing) : print(listing)
    } else {
      let execution = options.configuration.executionOptions(for: file.model)
      let plan: PlannedRun = try inspected.network(execution).plan(for: types).plan.wholeRun()
      let listing = PlanListing(plan, precision: execution.precision)
      asJSON ? try Output.json(listing) : print(listing)
    }
  }

  private static func print(_ listing: GraphListing) {
    func words(_ value: GraphListing.Value) -> String {
      "\(value.name): \(value.type ?? "a shape that depends on data")"
    }
    for input in listing.inputs { Output.line("in   \(words(input))") }
    for node in listing.nodes {
      Output.line(
        "     \(node.kind) '\(node.name)' (\(node.inputs.joined(separator: ", ")))"
          + " → \(node.outputs.map(words).joined(separator: ", "))")
    }
    for output in listing.outputs { Output.line("out  \(words(output))") }
  }

  private static func print(_ listing: PlanListing) {
    for call in listing.calls {
      Output.line("\(call.kind) '\(call.name)': \(call.kernel)")
      Output.line(
        "    \(call.inputs.joined(separator: "; ")) → \(call.outputs.joined(separator: "; "))")
    }
    Output.line(
      "\(listing.calls.count) calls, \(listing.threads) threads, \(listing.precision);"
        + " a prediction takes \(listing.sessionBytes.byteText),"
        + " packed weights \(listing.weightBytes.byteText)")
  }
}
