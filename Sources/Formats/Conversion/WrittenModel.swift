import Files
import Foundation
import Graph
import ModelFormat

/// Writes a model file and checks it before the file gets its final name. The check reads the file again and infers the
/// types and shapes of all values by the planner's rules.
///
/// The check runs no operator and decodes no weight, so it takes little time. It refuses a file that it cannot read,
/// and a file in which an output has another shape than in the source model. It also refuses a file if shape inference
/// succeeds for the source model but fails for the file. If shape inference fails for both, the tried input sizes may
/// be too small. Then the check tries larger ones.
struct WrittenModel {
  /// The model to write.
  private let source: GraphModel
  /// The file's final path.
  private let target: URL

  /// Writes a model to a draft next to its target, checks it, and moves it to the target.
  ///
  /// - Throws: An error whose message is a sentence for the user. The draft is deleted in every case.
  static func save(
    _ source: GraphModel, at target: URL, write: (_ draft: URL) throws -> Void
  ) throws {
    // Refuses a model that cannot be planned. Writers rely on the operators' shape inference, and other programs would
    // refuse the file.
    try source.checkTypes()
    try requireHeldConstants(of: source.graph)
    let model = WrittenModel(source: source, target: target.standardizedFileURL)
    try model.requireDestination()
    let draft: Draft
    do {
      draft = try Draft(of: model.target.path, isFolder: true)
    } catch let error as FileError {
      throw model.unwritable(error)
    }
    // `draft` deletes its folder when it is released. So `draft` must live until the file is at its final path.
    try withExtendedLifetime(draft) {
      let inner: URL = URL(fileURLWithPath: draft.path, isDirectory: true)
        .appendingPathComponent(model.target.lastPathComponent)
      do {
        try write(inner)
      } catch let error as ModelFormatError {
        // The message must name the target, not the draft.
        throw ModelFormatError(
          code: error.code,
          message: error.message.replacingOccurrences(of: inner.path, with: model.target.path),
          cause: error.cause)
      }
      try model.check(inner)
      do {
        try ItemReplacement.replace(model.target.path, with: inner.path)
      } catch let error as FileError {
        throw model.unwritable(error)
      }
    }
  }

  /// The largest number of elements of a constant that a writer computes from settings. As `float32` they take 256 MiB.
  private static let computedCount = 1 << 26

  /// Throws if the graph has a constant with more than `computedCount` elements that are computed from settings, such
  /// as a filled tensor. Like the planner, writers must check the size of such a constant before they compute it.
  private static func requireHeldConstants(of graph: Graph) throws {
    for value in graph.values {
      guard let constant = value.constant else { continue }
      guard constant.count - constant.heldCount <= computedCount else {
        throw EngineError(
          .unsupported,
          "'\(value.name)' is \(constant.shape) numbers that are computed from settings, more than the \(computedCount) that a writer computes."
        )
      }
    }
    for node in graph.nodes {
      for region in node.regions { try requireHeldConstants(of: region.graph) }
    }
  }

  private var isPackage: Bool { target.pathExtension.lowercased() == "mlpackage" }

  /// Throws if something at the target must not be replaced. A package replaces only a package, and a file replaces
  /// only a file. Creates the folder that will contain a package.
  private func requireDestination() throws {
    if isPackage {
      try ModelFolder.checkDestination(
        target, of: "package", contents: ["Manifest.json", "Data"], wayOut: "Choose another name.")
      try? FileManager.default.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
      return
    }
    var isFolder: ObjCBool = false
    guard
      !FileManager.default.fileExists(atPath: target.path, isDirectory: &isFolder)
        || !isFolder.boolValue
    else {
      throw ModelFormatError(
        code: .unwritable,
        message: "'\(target.path)' cannot be written: it is a folder. Choose another name.")
    }
  }

  private func unwritable(_ error: FileError) -> ModelFormatError {
    ModelFormatError(
      code: .unwritable, message: "'\(target.path)' cannot be written: \(error.reason).",
      cause: error)
  }

  // MARK: - Checking

  private func check(_ file: URL) throws {
    let written: GraphModel
    do {
      written = try ModelReaders.read(file)
    } catch let error as EngineError {
      throw refusal(error.message)
    } catch let error as ModelFormatError {
      throw refusal(error.message)
    }
    // The file lists a program's states among the inputs. So the inputs of the written model and of the source model do
    // not correspond by position.
    guard written.inputs.count == source.inputs.count, source.graph.states.isEmpty else { return }
    for free in Self.trials {
      guard let shapes = Self.shapes(of: written, free: free) else { return }
      let made: [TensorType?]
      do {
        made = try Self.outputs(of: written, shapes)
      } catch let error as EngineError {
        guard error.code != .outOfMemory, (try? Self.outputs(of: source, shapes)) != nil else {
          continue
        }
        throw refusal(error.message)
      }
      if let wanted = try? Self.outputs(of: source, shapes) { try compare(made, wanted) }
      return
    }
  }

  /// The lengths to try for the flexible extents of inputs. Nil means the default shape of an input, or its smallest
  /// allowed lengths if it has no default shape. The numbers are common image sizes in pixels.
  private static let trials: [Int?] = [nil, 64, 224, 512]

  private static func shapes(of model: GraphModel, free: Int?) -> [Shape]? {
    let shapes: [Shape] = model.inputs.compactMap { feature in
      if free == nil, let usual = feature.usual { return Shape(usual) }
      return feature.extents.map { extents in
        Shape(
          extents.map { extent in
            extent.fixed ?? min(max(free ?? 1, extent.lower), extent.upper ?? Int.max)
          })
      }
    }
    return shapes.count == model.inputs.count ? shapes : nil
  }

  private static func outputs(of model: GraphModel, _ shapes: [Shape]) throws -> [TensorType?] {
    var graph: Graph = model.graph
    let types: [TensorType] = zip(model.inputs, shapes).map { TensorType($1, $0.held) }
    try graph.inferTypes(from: types)
    return graph.outputs.map { graph[$0].type }
  }

  /// Throws if an output of the written model has other extents than the corresponding output of the source model.
  private func compare(_ made: [TensorType?], _ wanted: [TensorType?]) throws {
    guard made.count == wanted.count else { return }
    for (position, (found, expected)) in zip(made, wanted).enumerated()
    where source.classes?.output != position {
      guard let found = found?.shape, let expected = expected?.shape, found != expected,
        // NeuralNetwork layers have no scalars. One axis of one element represents a scalar.
        !(expected.rank == 0 && found.count == 1)
      else { continue }
      throw refusal(
        "its output '\(source.outputs[position].name)' would be \(found), expected \(expected).")
    }
  }

  private func refusal(_ sentence: String) -> EngineError {
    let isLayers: Bool = target.pathExtension.lowercased() == "mlmodel"
    return EngineError(
      .unsupported,
      "'\(target.lastPathComponent)' was not written because it could not run: \(sentence)"
        + (isLayers ? " Write an ML Program (.mlpackage) instead." : ""))
  }
}
