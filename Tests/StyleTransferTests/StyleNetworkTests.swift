import Foundation
import ModelFormat
import Testing

@testable import StyleTransfer

@Suite("The style networks")
struct StyleNetworkTests {
  @Test("A half-precision model is smaller than Create ML's limit for the same algorithm")
  func sizes() throws {
    #expect(try StyleNetwork(.cnn, seed: 1).model().serialized().count < 4_000_000)
    #expect(try StyleNetwork(.cnnLite, seed: 1).model().serialized().count < 600_000)
  }

  @Test("The same seed gives the same numbers, another seed others")
  func seeds() {
    let first = StyleNetwork(.cnnLite, seed: 5).values
    #expect(first == StyleNetwork(.cnnLite, seed: 5).values)
    #expect(first != StyleNetwork(.cnnLite, seed: 6).values)
  }

  @Test("Numbers survive a round trip through a model")
  func roundTrip() throws {
    let network = StyleNetwork(.cnnLite, seed: 3)
    let again = try StyleNetwork(
      .cnnLite, reading: network.model(storage: .float32), name: "x.mlmodel")
    #expect(again.values == network.values)
  }

  @Test("The gallery's models are written again byte for byte", arguments: GalleryModel.all)
  func gallery(_ model: GalleryModel) throws {
    let known: Spec.Model = try ModelFile.open(model.file).model
    let network = try StyleNetwork(model.algorithm, reading: known, name: model.testDescription)
    let metadata: Spec.Metadata = try #require(known.description?.metadata)
    let words = StyleNetwork.Description(
      summary: metadata.shortDescription, author: metadata.author, license: metadata.license,
      version: metadata.versionString, additional: metadata.userDefined)
    let isSame: Bool = try network.model(description: words).serialized() == known.serialized()
    #expect(isSame)
  }

  @Test("A model from before the shortcuts existed gives the same image as before")
  func withoutShortcuts() throws {
    let old = StyleNetwork(
      .cnn, seed: 4, architecture: TrainingFixture.architecture(.none))
    let new = try StyleNetwork(
      .cnn, reading: old.model(storage: .float32), name: "old.mlmodel",
      architecture: TrainingFixture.architecture)
    #expect(new.parameters.count == old.parameters.count + 2)
    let photo = try TrainingFixture.picture(40, 36) { x, y in (x * 6, y * 7, 99) }
    #expect(try new.painter().paint(photo).picture == old.painter().paint(photo).picture)
  }

  @Test("A network without the shortcut from the picture survives a round trip through a model")
  func withoutPictureShortcut() throws {
    var settings = StyleTrainingSettings()
    settings.recipe = .noPictureShortcut
    let network = StyleNetwork(.cnn, seed: 4, architecture: settings.architecture)
    #expect(network.parameters.count == StyleNetwork(.cnn, seed: 4).parameters.count - 1)
    let again = try StyleNetwork(
      .cnn, reading: network.model(storage: .float32), name: "x.mlmodel")
    #expect(again.architecture.shortcuts == .stages)
    #expect(again.values == network.values)
  }

  @Test("A model with a shortcut that the network lacks is refused in one sentence")
  func extraShortcut() throws {
    let model = StyleNetwork(.cnn, seed: 4, architecture: TrainingFixture.architecture)
    let error = #expect(throws: StyleTransferError.self) {
      try StyleNetwork(
        .cnn, reading: model.model(), name: "x.mlmodel",
        architecture: TrainingFixture.architecture(.stages))
    }
    #expect(error?.message.contains("has the shortcut 'paint_shortcut', which this") == true)
  }

  @Test("A model of the other algorithm is refused with a message")
  func otherAlgorithm() {
    let error = #expect(throws: StyleTransferError.self) {
      try StyleNetwork(
        .cnn, reading: try StyleNetwork(.cnnLite, seed: 1).model(), name: "lite.mlmodel")
    }
    #expect(error?.message.contains("'lite.mlmodel'") == true)
  }
}

/// A model in the gallery.
struct GalleryModel: Sendable, CustomTestStringConvertible {
  let file: URL
  let algorithm: StyleAlgorithm

  var testDescription: String {
    "\(file.deletingLastPathComponent().lastPathComponent) \(algorithm)"
  }

  static let all: [GalleryModel] = {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Gallery")
    let names: [String] = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    let kinds: [(String, StyleAlgorithm)] = [("model", .cnn), ("lite", .cnnLite)]
    return names.sorted().flatMap { name in
      kinds.map { kind in
        GalleryModel(
          file: folder.appendingPathComponent("\(name)/\(kind.0).mlmodel"), algorithm: kind.1)
      }
    }.filter { FileManager.default.fileExists(atPath: $0.file.path) }
  }()
}
