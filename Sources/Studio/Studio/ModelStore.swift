import CoreML
import Foundation
import ModelFormat
import ModelTools
import Platform
import Service
import StyleTransfer

/// The models of the studio: those of the gallery, fetched ones, a folder's, trained ones and uploads.
///
/// A request names a model by its identifier, which is looked up here; it never becomes a path.
final class ModelShelf: Sendable {
  /// Where a model is from.
  enum Origin: String, Codable, Sendable {
    case gallery, fetched, folder, trained, upload, studio
    /// A painting that a client sent, in whose style the pair for any style paints.
    case painting

    /// Whether the file was written by others, so that it is opened in a process of its own only.
    var isForeign: Bool { self == .upload || self == .folder }
  }

  /// What a model is good for.
  enum Kind: String, Codable, Sendable {
    case style, classifier, other
  }

  /// A model.
  struct Entry: Sendable {
    let id: String
    let title: String
    let origin: Origin
    let kind: Kind
    /// The model's file; of a style the large network.
    let file: URL
    /// A style's small network.
    var small: URL?
    var card: StyleCard?
    /// The painting that a style was learned from.
    var painting: URL?
  }

  private let folder: PrivateFolder
  private let options: StudioOptions
  private let entries = Locked<[Entry]>([])
  private let opened: OpenModels
  private static let mostUploads = 40

  /// The shelf with what is at hand; models are opened when they are first used.
  init(_ folder: PrivateFolder, options: StudioOptions, opened: OpenModels) {
    self.folder = folder
    self.opened = opened
    self.options = options
    var found: [Entry] = []
    for style in (try? StyleGallery.installed())?.entries ?? [] {
      guard let file = try? style.model(lite: false) else { continue }
      let painting = style.folder.appendingPathComponent("painting.jpg")
      found.append(
        Entry(
          id: style.card.name, title: style.card.title, origin: .gallery, kind: .style, file: file,
          small: try? style.model(lite: true), card: style.card,
          painting: FileManager.default.fileExists(atPath: painting.path) ? painting : nil))
    }
    if FetchableModel.squeezenet.isFetched() {
      found.append(
        Entry(
          id: "squeezenet", title: "SqueezeNet", origin: .fetched, kind: .classifier,
          file: FetchableModel.squeezenet.file()))
    }
    entries.withLock { $0 = found }
  }

  /// Adds the models of the folder that `--models` names; those that cannot be read are left out.
  func addFolder(_ bench: any Bench) async {
    guard let models = options.models else { return }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: models.path)) ?? []
    for name in names.sorted() {
      let file = models.appendingPathComponent(name)
      guard ["mlmodel", "mlpackage", "mlmodelc"].contains(file.pathExtension.lowercased()),
        let kind = try? await bench.answer(.kind, about: file).value(Kind.self)
      else { continue }
      let title = file.deletingPathExtension().lastPathComponent
      add(Entry(id: makeIdentifier("f"), title: title, origin: .folder, kind: kind, file: file))
    }
  }

  /// All models.
  var all: [Entry] { entries.withLock { $0 } }

  /// The model of an identifier.
  func entry(_ id: String) throws -> Entry {
    guard let found = entries.withLock({ $0.first { $0.id == id } }) else {
      throw HTTPError(
        404, "no_model", "There is no model '\(id.prefix(60))' here. /v1/models lists them.")
    }
    return found
  }

  /// Adds a model, in the place of one of the same identifier.
  func add(_ entry: Entry) {
    entries.withLock { all in
      all.removeAll { $0.id == entry.id }
      all.append(entry)
    }
    forget(entry.file)
  }

  /// Takes a model away; its file too where it was uploaded.
  func remove(_ id: String) throws {
    let entry = try entry(id)
    guard entry.origin == .upload || entry.origin == .painting else {
      throw HTTPError(
        409, "not_an_upload", "Only models that were dropped in here can be removed here.")
    }
    entries.withLock { $0.removeAll { $0.id == id } }
    forget(entry.file)
    try? FileManager.default.removeItem(at: entry.file)
  }

  /// Takes a model away whose file is somebody else's.
  func withdraw(_ id: String) {
    guard let entry = try? entry(id) else { return }
    entries.withLock { $0.removeAll { $0.id == id } }
    forget(entry.file)
  }

  private func forget(_ file: URL) { opened.forget(file) }

  /// A place for an upload with the ending that its bytes have.
  func placeForUpload(_ ending: String) throws -> (id: String, file: URL) {
    guard all.count(where: { $0.origin == .upload || $0.origin == .painting }) < Self.mostUploads
    else {
      throw HTTPError(
        409, "too_many_models",
        "\(Self.mostUploads) models and paintings were dropped in, which is the most. Remove one"
          + " first.")
    }
    let id = makeIdentifier("m")
    return (id, folder.place("\(id).\(ending)"))
  }

  /// What a model is good for, by its description.
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
