import Foundation
import ModelFormat
import Testing

@testable import StyleTransfer

@Suite("The style networks")
struct StyleNetworkTests {
  @Test("A model in half precision is smaller than Create ML's of the same algorithm may be")
  func sizes() throws {
    #expect(try StyleNetwork(.cnn, seed: 1).model().serialized().count < 4_000_000)
    #expect(try StyleNetwork(.cnnLite, seed: 1).model().serialized().count < 600_000)
  }

  @Test("The same seed gives the same numbers and another seed others")
  func seeds() {
    let first = StyleNetwork(.cnnLite, seed: 5).values
    #expect(first == StyleNetwork(.cnnLite, seed: 5).values)
    #expect(first != StyleNetwork(.cnnLite, seed: 6).values)
  }

  @Test("Numbers survive the way into a model and back")
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
    let said: Spec.Metadata = try #require(known.description?.metadata)
    let words = StyleNetwork.Description(
      summary: said.shortDescription, author: said.author, license: said.license,
      version: said.versionString, additional: said.userDefined)
    let isSame: Bool = try network.model(description: words).serialized() == known.serialized()
    #expect(isSame)
  }

  @Test("A model from before there were shortcuts paints as it did")
  func withoutShortcuts() throws {
    let old = StyleNetwork(
      .cnn, seed: 4, architecture: TrainingFixture.architecture(hasShortcuts: false))
    let new = try StyleNetwork(
      .cnn, reading: old.model(storage: .float32), name: "old.mlmodel",
      architecture: TrainingFixture.architecture)
    #expect(new.parameters.count == old.parameters.count + 2)
    let photo = try TrainingFixture.picture(40, 36) { x, y in (x * 6, y * 7, 99) }
    #expect(try new.painter().paint(photo).picture == old.painter().paint(photo).picture)
  }

  @Test("A model of the other algorithm is refused in words")
  func otherAlgorithm() {
    let error = #expect(throws: StyleTransferError.self) {
      try StyleNetwork(
        .cnn, reading: try StyleNetwork(.cnnLite, seed: 1).model(), name: "lite.mlmodel")
    }
    #expect(error?.message.contains("'lite.mlmodel'") == true)
  }
}

/// A model of the gallery.
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
