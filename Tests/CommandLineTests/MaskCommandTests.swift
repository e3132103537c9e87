import Foundation
import Imaging
import Testing

/// Tests the options of `atelier stylize` that limit the painting to a part of the photo.
@Suite(.enabled(if: Program.isBuilt))
struct MaskCommandTests {
  /// Paints a photo with the given options. Returns the mean change of the samples, for the left half and for the right
  /// half.
  private func changes(_ options: (_ mask: String) -> [String]) throws -> (
    left: Double, right: Double, errors: String
  ) {
    try Fixtures.withFolder { folder in
      let (width, height) = (96, 64)
      let photo = try Picture(
        width: width, height: height,
        pixels: (0..<width * height * 3).map { UInt8($0 * 7 % 200) })
      let mask = try Picture(
        width: width, height: height,
        pixels: (0..<width * height * 3).map { $0 / 3 % width < width / 2 ? 255 : 0 })
      let (file, maskFile) = (folder.path + "/photo.png", folder.path + "/mask.png")
      try photo.write(toFile: file)
      try mask.write(toFile: maskFile)
      let painted: String = folder.path + "/painted.png"
      let outcome = try Program.run(
        ["stylize", file, "--style", "scream", "--lite", "--softness", "0", "-o", painted]
          + options(maskFile))
      #expect(outcome.status == 0, "\(outcome.errors)")
      let result = try Picture(contentsOfFile: painted).pixels
      func change(_ columns: Range<Int>) -> Double {
        var sum: Double = 0
        for row in 0..<height {
          for index in (row * width + columns.lowerBound) * 3..<(row * width + columns.upperBound)
            * 3
          {
            sum += abs(Double(result[index]) - Double(photo.pixels[index]))
          }
        }
        return sum / Double(columns.count * height * 3)
      }
      return (change(0..<width / 2), change(width / 2..<width), outcome.errors)
    }
  }

  @Test("A mask is white where the photo is painted, as in atelier paint")
  func mask() throws {
    let found = try changes { ["--mask", $0] }
    #expect(found.left > 10 && found.right == 0, "\(found)")
  }

  @Test("--invert paints the black part of a mask")
  func inverted() throws {
    let found = try changes { ["--mask", $0, "--invert"] }
    #expect(found.left == 0 && found.right > 10, "\(found)")
  }

  @Test("--keep-mask is white where the photo stays, and says so")
  func kept() throws {
    let found = try changes { ["--keep-mask", $0] }
    #expect(found.left == 0 && found.right > 10, "\(found)")
    #expect(found.errors.contains("--mask, as in `atelier paint`, is white where it is painted"))
  }
}
