import Imaging
import ModelTools
import Testing

/// Tests drawing layer outputs as contact sheets.
@Suite struct ActivationSheetTests {
  @Test("Each channel is a tile, black at its minimum and white at its maximum")
  func tiles() throws {
    // The layer has two channels of 32 × 32. One is a ramp along each row, and the other is constant.
    let ramp: [Float] = (0..<1024).map { Float($0 % 32) - 5 }
    let sheet = try #require(
      ActivationSheet(shape: [1, 2, 32, 32], values: ramp + [Float](repeating: 7, count: 1024)))
    let picture: Picture = try sheet.picture()
    #expect(picture.width == 2 * 34 + 2 && picture.height == 36)
    let pixels: [UInt8] = picture.pixels
    func grey(_ x: Int, _ y: Int) -> UInt8 { pixels[(y * picture.width + x) * 3] }
    #expect(grey(2, 2) == 0 && grey(33, 20) == 255)
    #expect(grey(36, 2) == 0 && grey(67, 33) == 0)
    #expect(grey(0, 0) == 96 && grey(35, 10) == 96)
  }

  @Test("Small channels are enlarged, vectors are one tile")
  func sizes() throws {
    let small = try #require(ActivationSheet(shape: [4, 2, 2], values: (0..<16).map { Float($0) }))
    #expect(try small.picture().width % 34 == 2)
    let vector = try #require(ActivationSheet(shape: [10], values: (0..<10).map { Float($0) }))
    #expect(try vector.picture().width == 4 * 8 + 4)
  }

  @Test("NaN is black, and a layer without numbers has no sheet")
  func odd() throws {
    let sheet = try #require(
      ActivationSheet(shape: [1, 1, 2, 2], values: [.nan, .infinity, 0, 1]))
    #expect(try sheet.picture().pixels[(2 * 36 + 2) * 3] == 0)
    #expect(ActivationSheet(shape: [0, 2, 2], values: []) == nil)
    #expect(ActivationSheet(shape: [3], values: [1]) == nil)
  }
}
