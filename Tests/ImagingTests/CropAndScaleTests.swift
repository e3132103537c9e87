import Foundation
import Testing

@testable import Imaging

/// Computes by geometry alone which position of the source image the centre of a target pixel maps to. Nil if the
/// target pixel is in the black bars beside the image.
private func sourcePosition(
  _ x: Int, _ y: Int, target: (Double, Double), source: (Double, Double), mode: CropAndScale
) -> (Double, Double)? {
  let u: Double = Double(x) + 0.5
  let v: Double = Double(y) + 0.5
  switch mode {
  case .scaleFill:
    return (u / target.0 * source.0, v / target.1 * source.1)
  case .centerCrop:
    let scale: Double = max(target.0 / source.0, target.1 / source.1)
    return (
      (u - target.0 / 2) / scale + source.0 / 2, (v - target.1 / 2) / scale + source.1 / 2
    )
  case .scaleFit:
    let scale: Double = min(target.0 / source.0, target.1 / source.1)
    let position: (Double, Double) = (
      (u - target.0 / 2) / scale + source.0 / 2, (v - target.1 / 2) / scale + source.1 / 2
    )
    guard position.0 >= 0, position.1 >= 0, position.0 <= source.0, position.1 <= source.1 else {
      return nil
    }
    return position
  case .scaleFitRotate90CCW, .scaleFillRotate90CCW:
    // The rotation is counter-clockwise, so the right side becomes the top.
    let upright: CropAndScale = mode == .scaleFitRotate90CCW ? .scaleFit : .scaleFill
    guard
      let rotated = sourcePosition(
        x, y, target: target, source: (source.1, source.0), mode: upright)
    else { return nil }
    return (source.0 - rotated.1, rotated.0)
  }
}

@Suite struct CropAndScaleTests {
  /// The tolerance of a sample, in units of 0…255. Lanczos resampling of a ramp has only rounding errors, but larger
  /// errors in the two rows at each edge.
  let tolerance = 6

  struct Case: CustomTestStringConvertible {
    let mode: CropAndScale
    let width: Int
    let height: Int
    var testDescription: String { "\(mode) to \(width)×\(height)" }
  }

  static let cases: [Case] = CropAndScale.allCases.flatMap { (mode: CropAndScale) -> [Case] in
    [(80, 80), (100, 60), (60, 100), (300, 300), (200, 120), (64, 301)].map {
      Case(mode: mode, width: $0.0, height: $0.1)
    }
  }

  @Test("Every mode maps corners and centre as geometry requires", arguments: cases)
  func positions(_ item: Case) throws {
    let picture: Picture = try gradient(width: 200, height: 120)
    let fitted: Picture = try picture.fitted(
      toWidth: item.width, height: item.height, mode: item.mode)
    #expect(fitted.width == item.width)
    #expect(fitted.height == item.height)
    for y in [0, item.height / 4, item.height / 2, item.height - 1] {
      for x in [0, item.width / 3, item.width / 2, item.width - 1] {
        let found: [Int] = fitted.pixel(x, y)
        guard
          let position = sourcePosition(
            x, y, target: (Double(item.width), Double(item.height)), source: (200, 120),
            mode: item.mode)
        else {
          #expect(found == [0, 0, 0], "bar at (\(x), \(y))")
          continue
        }
        let red: Int = Int(min(199, max(0, position.0 - 0.5)) * 255 / 199)
        let green: Int = Int(min(119, max(0, position.1 - 0.5)) * 255 / 119)
        #expect(abs(found[0] - red) <= tolerance, "red at (\(x), \(y)): \(found), \(red)")
        #expect(abs(found[1] - green) <= tolerance, "green at (\(x), \(y)): \(found), \(green)")
        #expect(abs(found[2] - 77) <= 1)
      }
    }
  }

  @Test(
    "A region is cropped from the displayed image, for each orientation",
    arguments: Orientation.allCases, CropAndScale.allCases)
  func regions(orientation: Orientation, mode: CropAndScale) throws {
    let stored: Picture = try gradient(width: 180, height: 120, alpha: true)
    let shown: Picture = try stored.oriented(orientation)
    let region = PixelRegion(x: 10, y: 30, width: 90, height: 60)
    let direct: Picture = try stored.fitted(
      toWidth: 50, height: 40, mode: mode, region: region, orientation: orientation)
    let steps: Picture = try shown.cropped(x: 10, y: 30, width: 90, height: 60)
      .fitted(toWidth: 50, height: 40, mode: mode)
    #expect(direct.largestDifference(to: steps) <= 2)
    #expect(direct.hasAlpha)
  }

  @Test("The letterbox is centred, with opaque black bars")
  func letterbox() throws {
    let white = try Picture(
      width: 20, height: 10, pixels: [UInt8](repeating: 255, count: 600),
      alpha: [UInt8](repeating: 128, count: 200))
    let fitted: Picture = try white.fitted(toWidth: 20, height: 20, mode: .scaleFit)
    let rows: [Int] = (0..<20).map { fitted.pixel(10, $0)[0] }
    #expect(
      rows == [Int](repeating: 0, count: 5) + [Int](repeating: 255, count: 10)
        + [Int](repeating: 0, count: 5))
    #expect(fitted.alpha?.prefix(20).allSatisfy { $0 == 255 } == true)
    #expect(fitted.alpha?[10 * 20] == 128)
  }

  @Test("Scaling to the image's own size changes nothing", arguments: CropAndScale.allCases)
  func sameSize(mode: CropAndScale) throws {
    let picture: Picture = try gradient(width: 33, height: 33)
    let expected: Picture = mode.rotates ? try picture.oriented(.left) : picture
    #expect(try picture.fitted(toWidth: 33, height: 33, mode: mode) == expected)
  }

  @Test(
    "Scaling preserves a uniform colour at odd sizes",
    arguments: [(1, 1), (7, 3), (333, 1), (1, 333), (128, 127), (999, 17)])
  func evenColour(width: Int, height: Int) throws {
    let picture = try Picture(
      width: 127, height: 65, pixels: (0..<(127 * 65)).flatMap { _ in [200, 100, 50] })
    let scaled: Picture = try picture.scaled(toWidth: width, height: height)
    #expect(scaled.width == width)
    #expect(scaled.height == height)
    for pixel in [scaled.pixel(0, 0), scaled.pixel(width - 1, height - 1)] {
      #expect(zip(pixel, [200, 100, 50]).allSatisfy { abs($0 - $1) <= 1 })
    }
  }

  @Test("Invalid sizes and regions are refused with a message")
  func refusals() throws {
    let picture: Picture = try gradient(width: 20, height: 10)
    #expect {
      try picture.fitted(toWidth: 0, height: 5, mode: .scaleFill)
    } throws: { ($0 as? ImagingError)?.message.hasPrefix("A picture of 0 × 5 cannot") == true }
    #expect {
      try picture.fitted(
        toWidth: 5, height: 5, mode: .scaleFill,
        region: PixelRegion(x: 15, y: 0, width: 6, height: 5))
    } throws: {
      "\($0)" == "A region of 6 × 5 at (15, 0) is not inside a picture of 20 × 10."
    }
    #expect(throws: ImagingError.self) {
      try picture.fitted(
        toWidth: 5, height: 5, mode: .scaleFill,
        region: PixelRegion(x: .max, y: 0, width: .max, height: 5))
    }
  }
}
