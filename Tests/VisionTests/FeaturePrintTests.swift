import CoreGraphics
import CoreML
import Foundation
import Imaging
import ModelTools
import Testing
import Vision

/// Tests requests for which the caller needs no model.
@Suite(.enabled(if: FeaturePrint.isAvailable && Photos.areAvailable), .serialized)
struct FeaturePrintTests {
  private func print(
    of picture: Picture, _ mode: VNImageCropAndScaleOption = .scaleFill
  ) throws -> VNFeaturePrintObservation {
    let request = VNGenerateImageFeaturePrintRequest()
    request.imageCropAndScaleOption = mode
    try VNImageRequestHandler(cgImage: CGImage(picture)).perform([request])
    return try #require(request.results?.first)
  }

  private func distance(
    _ first: VNFeaturePrintObservation, _ second: VNFeaturePrintObservation
  ) throws -> Float {
    var distance: Float = .nan
    try first.computeDistance(&distance, to: second)
    return distance
  }

  /// Returns ten variants of the photo that people would consider the same picture.
  private func nearDuplicates(of photo: Picture) throws -> [Picture] {
    func part(_ x: Double, _ y: Double, _ share: Double) throws -> Picture {
      let (width, height) = (Double(photo.width), Double(photo.height))
      return try photo.cropped(
        x: Int(x * width), y: Int(y * height), width: Int(share * width),
        height: Int(share * height))
    }
    func changed(_ change: (Double) -> Double) throws -> Picture {
      let pixels: [UInt8] = photo.pixels.map {
        UInt8(min(255, max(0, change(Double($0)).rounded())))
      }
      return try Picture(width: photo.width, height: photo.height, pixels: pixels)
    }
    func reread(_ quality: Int) throws -> Picture {
      try Picture(data: photo.encoded(as: .jpeg, quality: quality))
    }
    return [
      try part(0, 0, 0.9), try part(0.1, 0.1, 0.9), try part(0.05, 0.05, 0.9),
      try changed { $0 * 0.8 }, try changed { $0 * 1.15 }, try changed { 20 + $0 * 0.85 },
      try reread(50), try reread(20),
      try photo.scaled(toWidth: photo.width / 2, height: photo.height / 2),
      try photo.scaled(toWidth: photo.width * 9 / 10, height: photo.height),
    ]
  }

  @Test("Ten near-duplicates of a photo are closer than every other photo", arguments: Photos.asked)
  func order(name: String) throws {
    let photo: Picture = try Picture(contentsOf: Photos.folder.appendingPathComponent(name))
      .withoutAlpha
    let asked = try print(of: photo)
    let near: [Float] = try nearDuplicates(of: photo).map {
      try distance(asked, print(of: $0))
    }
    let far: [Float] = try Photos.others(to: name).map {
      try distance(asked, print(of: Picture(contentsOf: $0).withoutAlpha))
    }
    let (farthest, nearest) = (near.max() ?? .nan, far.min() ?? .nan)
    Swift.print("\(name): duplicates up to \(farthest), \(far.count) other photos from \(nearest)")
    #expect(near.count == 10 && far.count > 60)
    #expect(farthest < nearest)
  }

  @Test("A print has length 1, its distance to itself is 0, and it can be read as data")
  func form() throws {
    let photo = try Picture(contentsOf: Photos.folder.appendingPathComponent(Photos.asked[0]))
    let observation = try print(of: photo.withoutAlpha)
    #expect(observation.elementCount == 512 && observation.elementType == .float)
    #expect(observation.data.count == 512 * 4)
    let numbers: [Float] = observation.data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    #expect(abs(numbers.reduce(0) { $0 + $1 * $1 } - 1) < 1e-4)
    #expect(try distance(observation, observation) == 0)
  }

  @Test("Vision's built-in classification recognises a cat, in the old and the new API")
  func classification() async throws {
    let cat: URL = Photos.folder.appendingPathComponent("skimage-chelsea.png")
    let request = VNClassifyImageRequest()
    try VNImageRequestHandler(url: cat).perform([request])
    // As in Apple's API, a request returns observations of the type that belongs to the request.
    let classes: [VNClassificationObservation] = try #require(request.results)
    #expect(classes.count == 1000)
    #expect(classes.first?.identifier.contains("cat") == true)
    #expect(try request.supportedIdentifiers().count == 1000)
    let found = try await ClassifyImageRequest().perform(on: cat)
    #expect(found.map(\.identifier) == classes.map(\.identifier))
    let photo = CGImage(try Picture(contentsOf: cat))
    let first = try await GenerateImageFeaturePrintRequest().perform(on: photo)
    let second = try await GenerateImageFeaturePrintRequest().perform(on: cat)
    #expect(try first.distance(to: second) < 1e-3)
  }
}

/// Photos that are not part of the project.
private enum Photos {
  static let folder: URL = {
    let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let shared: URL =
      ProcessInfo.processInfo.environment["ATELIER_SHARED"].map { URL(fileURLWithPath: $0) }
      ?? root.deletingLastPathComponent().appendingPathComponent("shared")
    return shared.appendingPathComponent("pictures/photos")
  }()

  static let asked = [
    "skimage-chelsea.png", "gcompris-monuments-tajMahal.webp", "tuxpaint-data-ocean_waves.jpg",
  ]

  static var areAvailable: Bool {
    asked.allSatisfy {
      FileManager.default.fileExists(atPath: folder.appendingPathComponent($0).path)
    }
  }

  /// Returns every second photo except `name`. Leaves out the photos of the Taj Mahal and of the sea, because there are
  /// several photos of each of these subjects.
  static func others(to name: String) throws -> [URL] {
    let names: [String] = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    let same: [String] = ["tajmahal", "ocean", "-sea"]
    return names.enumerated()
      .filter { index, other in
        index % 2 == 0 && other != name && !same.contains { other.lowercased().contains($0) }
      }
      .map { folder.appendingPathComponent($0.element) }
  }
}
