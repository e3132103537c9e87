import CoreML
import Foundation
import ModelFormat
import ModelTools
import Platform
import Service
import StyleTransfer

/// The list of the models that the studio offers: the models of the gallery and of a folder, and fetched, trained and
/// uploaded models.
///
/// A request names a model by an identifier. The studio looks the identifier up here and never uses it as a path.
final class ModelStore: Sendable {
  /// Where a model is from.
  enum Origin: String, Codable, Sendable {
    case gallery, fetched, folder, trained, upload, studio
    /// The file is not a model but an uploaded painting. The networks for arbitrary styles paint in the style of that
    /// painting.
    case painting

    /// Whether the file is not trusted. If so, only worker processes open it.
    var isForeign: Bool { self == .upload || self == .folder }
  }

  /// The purpose of a model.
  enum Kind: String, Codable, Sendable {
    case style, classifier, other
  }

  /// A model.
  struct Entry: Sendable {
    let id: String
    let title: String
    let origin: Origin
    let kind: Kind
    /// The model's file. For a style, the file of its large network.
    let file: URL
    /// The file of a style's small network. Nil if there is none.
    var small: URL?
    var style: StyleDescription?
    /// The file of the painting on which a style was trained.
    var painting: URL?
    /// The style of the gallery, whose large network may have to be written to ``file`` first.
    var gallery: StyleGallery.Entry?
  }

  private let folder: PrivateFolder
  private let options: StudioOptions
  private let entries = Locked<[Entry]>([])
  private let opened: OpenModels
  private static let mostUploads = 40

  /// Creates a store with the styles of the gallery. Adds SqueezeNet if it is fetched. A model is opened when it is
  /// first used.
  init(_ folder: PrivateFolder, options: StudioOptions, opened: OpenModels) {
    self.folder = folder
    self.opened = opened
    self.options = options
    var found: [Entry] = []
    for style in (try? StyleGallery.installed())?.entries ?? [] {
      guard let file = try? style.location(lite: false) else { continue }
      let painting: URL = style.painting
      found.append(
        Entry(
          id: style.description.name, title: style.description.title, origin: .gallery,
          kind: .style, file: file, small: try? style.model(lite: true), style: style.description,
          painting: FileManager.default.fileExists(atPath: painting.path) ? painting : nil,
          gallery: style))
    }
    entries.withLock { $0 = found }
    addFetched()
  }

  /// Adds SqueezeNet if it is fetched and not in the list yet.
  func addFetched() {
    guard FetchableModel.squeezenet.isFetched(), !all.contains(where: { $0.id == "squeezenet" })
    else { return }
    add(
      Entry(
        id: "squeezenet", title: "SqueezeNet", origin: .fetched, kind: .classifier,
        file: FetchableModel.squeezenet.file()))
  }

  /// Adds the models of the folder that `--models` names. Skips models that the worker cannot read.
  func addFolder(_ worker: any ModelWorker) async {
    guard let models = options.models else { return }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: models.path)) ?? []
    for name in names.sorted() {
      let file = models.appendingPathComponent(name)
      guard ["mlmodel", "mlpackage", "mlmodelc"].contains(file.pathExtension.lowercased()),
        let kind = try? await worker.answer(.kind, about: file).value(Kind.self)
      else { continue }
      let title = file.deletingPathExtension().lastPathComponent
      add(Entry(id: makeIdentifier("f"), title: title, origin: .folder, kind: kind, file: file))
    }
  }

  /// All models.
  var all: [Entry] { entries.withLock { $0 } }

  /// Returns the model with the given identifier.
  func entry(_ id: String) throws -> Entry {
    guard let found = entries.withLock({ $0.first { $0.id == id } }) else {
      throw HTTPError(
        404, "no_model", "There is no model '\(id.prefix(60))' here. /v1/models lists them.")
    }
    if let style = found.gallery, !FileManager.default.fileExists(atPath: found.file.path) {
      _ = try style.model(lite: false)
    }
    return found
  }

  /// Adds a model, or replaces the model that has the same identifier.
  func add(_ entry: Entry) {
    entries.withLock { all in
      all.removeAll { $0.id == entry.id }
      all.append(entry)
    }
    forget(entry.file)
  }

  /// Removes an uploaded model and its file.
  func remove(_ id: String) throws {
    let entry = try entry(id)
    guard entry.origin == .upload || entry.origin == .painting else {
      throw HTTPError(
        409, "not_an_upload", "Only uploaded models can be removed.")
    }
    entries.withLock { $0.removeAll { $0.id == id } }
    forget(entry.file)
    try? FileManager.default.removeItem(at: entry.file)
  }

  /// Removes a model, but not its file.
  func withdraw(_ id: String) {
    guard let entry = try? entry(id) else { return }
    entries.withLock { $0.removeAll { $0.id == id } }
    forget(entry.file)
  }

  private func forget(_ file: URL) { opened.forget(file) }

  /// Makes an identifier for an upload, and a file location with the given extension. Throws if too many uploads are
  /// stored.
  func newUpload(_ ending: String) throws -> (id: String, file: URL) {
    guard all.count(where: { $0.origin == .upload || $0.origin == .painting }) < Self.mostUploads
    else {
      throw HTTPError(
        409, "too_many_models",
        "\(Self.mostUploads) models and paintings are uploaded, which is the limit. Remove one"
          + " first.")
    }
    let id = makeIdentifier("m")
    return (id, folder.location("\(id).\(ending)"))
  }

  /// Determines the purpose of a model from its inputs and outputs.
  static func kind(of file: URL) throws -> Kind {
    let model = try MLModel(contentsOf: file)
    let description = model.modelDescription
    let pictures = description.inputDescriptionsByName.values.filter { $0.type == .image }
    guard pictures.count == 1 else { return .other }
    if description.predictedProbabilitiesName != nil, description.predictedFeatureName != nil,
      !description.isUpdatable
    {
      return .classifier
    }
    let gives = description.outputDescriptionsByName.values
    let isArray = gives.contains { output in
      guard let shape = output.multiArrayConstraint?.shape.map(\.intValue), shape.count >= 3
      else { return false }
      return shape[shape.count - 3] == 3
    }
    return gives.contains { $0.type == .image } || isArray ? .style : .other
  }
}
