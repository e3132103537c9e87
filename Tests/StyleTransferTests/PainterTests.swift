import CoreML
import Imaging
import ModelFormat
import Testing

@testable import StyleTransfer

@Suite("StylePainter")
struct PainterTests {
  private static let network = StyleNetwork(
    .cnn, seed: 2, architecture: TrainingFixture.architecture)

  private static func photo(_ width: Int, _ height: Int) throws -> Picture {
    try TrainingFixture.picture(width, height) { x, y in (x * 5, y * 4, 99) }
  }

  private static func planCount(of painter: Painter) throws -> Int {
    try #require(try painter.model.network(pictures: nil)).0.planCount
  }

  @Test("Ten photos of one size make one plan, and another size one more")
  func plans() throws {
    let painter = try Self.network.painter()
    for _ in 0..<10 { _ = try painter.paint(try Self.photo(60, 40)) }
    #expect(try Self.planCount(of: painter) == 1)
    _ = try painter.paint(try Self.photo(44, 52))
    #expect(try Self.planCount(of: painter) == 2)
  }

  @Test(
    "Results have the size of the photo, or the requested size",
    arguments: [(32, 32, nil), (33, 47, nil), (50, 61, 100), (90, 30, 45)])
  func sizes(width: Int, height: Int, side: Int?) throws {
    let photo = try Self.photo(width, height)
    let painting = try Self.network.painter().paint(photo, .wholePhoto(longerSide: side))
    let expected = side.map { photo.size.scaled(toLongerSide: $0) } ?? photo.size
    #expect(painting.picture.size == expected)
    let isTooSmall = min(expected.width, expected.height) < 32
    #expect(painting.paintedSize == (isTooSmall ? PictureSize(width: 512, height: 512) : expected))
  }

  @Test("The small network also paints photos of every size", arguments: [(32, 32), (33, 47)])
  func lite(width: Int, height: Int) throws {
    let painting = try StyleNetwork(.cnnLite, seed: 1).painter()
      .paint(try Self.photo(width, height))
    #expect(painting.paintedSize == painting.picture.size)
    #expect(painting.picture.size == PictureSize(width: width, height: height))
  }

  @Test("A photo that would not fit is refused before it is enlarged, with a size that fits")
  func refused() throws {
    let configuration = MLModelConfiguration()
    configuration.memoryLimit = 4 << 20
    let painter = try Self.network.painter(configuration: configuration)
    let photo = try Self.photo(300, 200)
    let error = try #require(throws: MLModelError.self) {
      try painter.paint(photo, .wholePhoto(longerSide: 3000))
    }
    let words = "\(error)".split(separator: " ")
    let mark = try #require(words.lastIndex(of: "×"))
    #expect("\(error)".hasSuffix("would fit."))
    let side = try #require(Int(words[mark - 1]))
    let painting = try painter.paint(photo, .wholePhoto(longerSide: side))
    #expect(painting.picture.size.longerSide == side)
  }

  @Test("More pixels than the maximum are refused immediately")
  func tooManyPixels() throws {
    let painter = try Self.network.painter()
    let error = try #require(throws: StyleTransferError.self) {
      try painter.paint(try Self.photo(40, 30), .wholePhoto(longerSide: 60_000))
    }
    #expect(error.message.hasSuffix("Choose a smaller size."))
    #expect(try Self.planCount(of: painter) == 0)
  }

  @Test("A model without an image output is refused with a message")
  func noPainting() throws {
    var model = try Self.network.model()
    model.description?.output = []
    let opened = try MLModel(specification: model, configuration: MLModelConfiguration())
    let error = #expect(throws: StyleTransferError.self) { try Painter(opened, name: "x.mlmodel") }
    #expect(error?.message.hasPrefix("Model 'x.mlmodel' does not turn a picture") == true)
  }
}

@Suite("Snapshots")
struct SnapshotPainterTests {
  private static func network(_ seed: UInt64) -> StyleNetwork {
    StyleNetwork(.cnn, seed: seed, architecture: TrainingFixture.architecture)
  }

  @Test("Networks that continue training share one plan, and paint like their models")
  func onePlan() throws {
    let photo = try TrainingFixture.picture(60, 44) { x, y in (x * 4, y * 5, 99) }
    let painter = try SnapshotPainter(
      of: photo, by: Self.network(1), longestSide: 768, options: .init())
    let exact = MLModelConfiguration()
    exact.computeUnits = .cpuOnly
    for seed in 1...3 as ClosedRange<UInt64> {
      let network = Self.network(seed)
      let expected = try network.painter(configuration: exact).paint(photo).picture.planes
      let painted = try painter.paint(by: network).planes
      #expect(zip(painted, expected).allSatisfy { abs($0 - $1) <= 1 })
    }
    #expect(painter.planCount == 1)
  }

  @Test("Photos are reduced for snapshots and never enlarged", arguments: [30, 60, 100])
  func sizes(longestSide: Int) throws {
    let photo = try TrainingFixture.picture(60, 44) { x, y in (x * 4, y * 5, 99) }
    let painter = try SnapshotPainter(
      of: photo, by: Self.network(1), longestSide: longestSide, options: .init())
    #expect(try painter.paint(by: Self.network(1)).size.longerSide == min(60, longestSide))
  }
}
