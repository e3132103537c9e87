import Files
import Foundation
import Graph
import ModelFormat

/// A model that is being written: it is read again before it takes its name, and the types of its values are
/// inferred as planning infers them.
///
/// Nothing is computed and no weight is decoded, so that the check costs little beside the writing. What fails only
/// where the model that was given fails too is not held against the file: its declared sizes may be too small for it.
struct WrittenModel {
  /// The model that was given.
  private let source: GraphModel
  /// Where the file goes.
  private let target: URL

  /// Writes a model to a place beside its target, checks it, and puts it into the target's place.
  ///
  /// - Throws: A sentence, with nothing left behind.
  static func place(
    _ source: GraphModel, at target: URL, write: (_ draft: URL) throws -> Void
  ) throws {
    // What cannot be planned is not written: writers count on the operators' rules, and readers of other programs
    // would refuse the file.
    try source.checkTypes()
    let model = WrittenModel(source: source, target: target.standardizedFileURL)
    try model.requirePlace()
    let draft: Draft
    do {
      draft = try Draft(of: model.target.path, isFolder: true)
    } catch let error as FileError {
      throw model.unwritable(error)
    }
    // The draft's folder goes with the object, whether or not the file has left it.
    try withExtendedLifetime(draft) {
      let inner: URL = URL(fileURLWithPath: draft.path, isDirectory: true)
        .appendingPathComponent(model.target.lastPathComponent)
      do {
        try write(inner)
      } catch let error as ModelFormatError {
        // Sentences name the file that is meant.
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

  private var isPackage: Bool { target.pathExtension.lowercased() == "mlpackage" }

  /// Throws where what is there is no model of the kind that is to be written.
  private func requirePlace() throws {
    if isPackage {
      try ModelFolder.checkPlace(
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
    // States stand among the inputs of a program, in places of their own.
    guard written.inputs.count == source.inputs.count, source.graph.kept.isEmpty else { return }
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

  /// The numbers that stand for free extents without a usual one: the least that is allowed, then sizes of pictures.
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

  /// Throws where an output has other extents than that of the model that was given.
  private func compare(_ made: [TensorType?], _ wanted: [TensorType?]) throws {
    guard made.count == wanted.count else { return }
    for (position, (found, expected)) in zip(made, wanted).enumerated()
    where source.classes?.output != position {
      guard let found = found?.shape, let expected = expected?.shape, found != expected,
        // Layers have no scalars: one axis of one element stands for them.
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
      "'\(target.lastPathComponent)' is not written, as it could not run: \(sentence)"
        + (isLayers ? " Write an ML Program (.mlpackage) instead." : ""))
  }
}
