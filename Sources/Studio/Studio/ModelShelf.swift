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

  /// What is opened, and how.
  private struct Key: Hashable {
    let file: URL
    let units: MLComputeUnits
    let anySize: Bool
  }

  private struct Opened {
    let key: Key
    let model: MLModel
  }

  private let folder: PrivateFolder
  private let options: StudioOptions
  private let entries = Locked<[Entry]>([])
  private let opened = Locked<[Opened]>([])
  private static let mostOpened = 12
  private static let mostUploads = 40

  /// The shelf with what is at hand; models are opened when they are first used.
  init(_ folder: PrivateFolder, options: StudioOptions) {
    self.folder = folder
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
  func addFolder() {
    guard let models = options.models else { return }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: models.path)) ?? []
    for name in names.sorted() {
      let file = models.appendingPathComponent(name)
      guard ["mlmodel", "mlpackage", "mlmodelc"].contains(file.pathExtension.lowercased()),
        let kind = try? Self.kind(of: file)
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
    guard entry.origin == .upload else {
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

  /// Closes what is open of a file.
  func forget(_ file: URL) { opened.withLock { $0.removeAll { $0.key.file == file } } }

  /// A place for an upload with the ending that its bytes have.
  func placeForUpload(_ ending: String) throws -> (id: String, file: URL) {
    guard all.count(where: { $0.origin == .upload }) < Self.mostUploads else {
      throw HTTPError(
        409, "too_many_models",
        "\(Self.mostUploads) models were dropped in, which is the most. Remove one first.")
    }
    let id = makeIdentifier("m")
    return (id, folder.place("\(id).\(ending)"))
  }

  /// Opens a model, or finds it open.
  func model(_ file: URL, units: MLComputeUnits, anySize: Bool = false) throws -> MLModel {
    let key = Key(file: file, units: units, anySize: anySize)
    let known = opened.withLock { all -> MLModel? in
      guard let place = all.firstIndex(where: { $0.key == key }) else { return nil }
      all.append(all.remove(at: place))
      return all.last?.model
    }
    if let known { return known }
    let configuration = MLModelConfiguration()
    configuration.computeUnits = units
    configuration.allowsAnyInputSize = anySize
    let model = try MLModel(contentsOf: file, configuration: configuration)
    opened.withLock { all in
      all.append(Opened(key: key, model: model))
      if all.count > Self.mostOpened { all.removeFirst() }
    }
    return model
  }

  /// How many models are open.
  var openedCount: Int { opened.withLock { $0.count } }

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
