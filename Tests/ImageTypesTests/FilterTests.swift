import CoreImage
import CoreImage.CIFilterBuiltins
import Foundation
import Imaging
import Testing

@Suite("Filters of CoreImage")
struct FilterTests {
  /// A picture of random numbers.
  private func noise(_ width: Int, _ height: Int, seed: UInt64) throws -> CIImage {
    var state: UInt64 = seed
    let pixels: [UInt8] = (0..<width * height * 3).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 56)
    }
    return CIImage(try Picture(width: width, height: height, pixels: pixels))
  }

  /// Converts a component of sRGB to linear light (IEC 61966-2-1). `code` converts it back.
  private func linear(_ code: UInt8) -> Double {
    let x: Double = Double(code) / 255
    return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4)
  }

  private func code(_ linear: Double) -> Int {
    let x: Double = min(1, max(0, linear))
    return Int((255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055)).rounded())
  }

  @Test("A Gaussian blur is the sum of the definition in Double", arguments: [0.8, 2.5])
  func blur(_ sigma: Double) throws {
    let (width, height) = (23, 17)
    let image = try noise(width, height, seed: 1)
    let filter = CIFilter.gaussianBlur()
    filter.inputImage = image
    filter.radius = Float(sigma)
    let source: [UInt8] = try image.picture.pixels
    let result = try #require(filter.outputImage)
    let found: [UInt8] = try result.picture.pixels
    #expect(result.extent == image.extent)
    let reach = Int((3 * sigma).rounded(.up))
    var largest: Int = 0
    for y in 0..<height {
      for x in 0..<width {
        for component in 0..<3 {
          var (sum, weights): (Double, Double) = (0, 0)
          for dy in -reach...reach {
            for dx in -reach...reach {
              let weight: Double = exp(-Double(dx * dx + dy * dy) / (2 * sigma * sigma))
              let row: Int = min(height - 1, max(0, y + dy))
              let column: Int = min(width - 1, max(0, x + dx))
              sum += weight * linear(source[(row * width + column) * 3 + component])
              weights += weight
            }
          }
          let expected: Int = code(sum / weights)
          largest = max(largest, abs(expected - Int(found[(y * width + x) * 3 + component])))
        }
      }
    }
    #expect(largest <= 1)
  }

  @Test("A colour matrix multiplies linear light")
  func matrix() throws {
    let image = try noise(9, 5, seed: 2)
    let result = image.applyingFilter(
      "CIColorMatrix",
      parameters: [
        "inputRVector": CIVector(x: 0, y: 1, z: 0, w: 0),
        "inputGVector": CIVector(x: 0.5, y: 0, z: 0.25, w: 0),
        "inputBiasVector": CIVector(x: 0, y: 0.1, z: 0, w: 0),
      ])
    let (source, found) = (try image.picture.pixels, try result.picture.pixels)
    for pixel in 0..<45 {
      let (r, g, b) = (source[pixel * 3], source[pixel * 3 + 1], source[pixel * 3 + 2])
      #expect(abs(Int(found[pixel * 3]) - Int(g)) <= 1)
      #expect(
        abs(Int(found[pixel * 3 + 1]) - code(0.5 * linear(r) + 0.25 * linear(b) + 0.1)) <= 1)
      #expect(abs(Int(found[pixel * 3 + 2]) - Int(b)) <= 1)
    }
  }

  @Test("Without saturation all components are the luminance")
  func saturation() throws {
    let filter = CIFilter.colorControls()
    filter.inputImage = try noise(6, 6, seed: 3)
    filter.saturation = 0
    let found: [UInt8] = try #require(filter.outputImage).picture.pixels
    for pixel in 0..<36 {
      #expect(found[pixel * 3] == found[pixel * 3 + 1] && found[pixel * 3] == found[pixel * 3 + 2])
    }
  }

  @Test("Morphology takes the greatest value of a circle")
  func morphology() throws {
    var pixels = [UInt8](repeating: 10, count: 7 * 7 * 3)
    pixels[(3 * 7 + 3) * 3] = 200
    let image = CIImage(try Picture(width: 7, height: 7, pixels: pixels))
    let filter = try #require(CIFilter(name: "CIMorphologyMaximum"))
    filter.setValue(image, forKey: kCIInputImageKey)
    filter.setValue(2, forKey: kCIInputRadiusKey)
    let found: [UInt8] = try #require(filter.outputImage).picture.pixels
    let bright: Int = (0..<49).count { found[$0 * 3] == 200 }
    // A circle of radius 2 contains 13 pixels.
    #expect(bright == 13 && found[1] == 10)
  }

  @Test("A mask mixes two images where it is white, black and between")
  func mask() throws {
    let filter = CIFilter.blendWithMask()
    filter.inputImage = CIImage(
      try Picture(width: 3, height: 1, pixels: [255, 0, 0, 255, 0, 0, 255, 0, 0]))
    filter.backgroundImage = CIImage(
      try Picture(width: 3, height: 1, pixels: [0, 0, 255, 0, 0, 255, 0, 0, 255]))
    filter.maskImage = CIImage(
      try Picture(width: 3, height: 1, pixels: [255, 255, 255, 0, 0, 0, 188, 188, 188]))
    let found: [UInt8] = try #require(filter.outputImage).picture.pixels
    #expect(Array(found[..<6]) == [255, 0, 0, 0, 0, 255])
    // The component 188 is about half as bright as 255.
    #expect(abs(Int(found[6]) - 188) <= 1 && abs(Int(found[8]) - 188) <= 1)
  }

  @Test("An image over another lies where its extent says, by its alpha")
  func over() throws {
    let top = CIImage(try Picture(width: 1, height: 1, pixels: [9, 9, 9], alpha: [255]))
      .transformed(by: CGAffineTransform(translationX: 2, y: 1))
    let bottom = try noise(4, 3, seed: 4)
    let result = top.composited(over: bottom)
    var expected: [UInt8] = try bottom.picture.pixels
    // The point (2, 1) from below is row 1 from above.
    for component in 0..<3 { expected[(1 * 4 + 2) * 3 + component] = 9 }
    #expect(result.extent == bottom.extent)
    #expect(try result.picture.pixels == expected)
  }

  @Test("Crops and scales are filters too, and unknown names give none")
  func geometry() throws {
    let image = try noise(8, 6, seed: 5)
    let crop = CIFilter(
      name: "CICrop",
      parameters: [kCIInputImageKey: image, "inputRectangle": CIVector(x: 1, y: 2, z: 3, w: 4)])
    #expect(crop?.outputImage?.extent == CGRect(x: 1, y: 2, width: 3, height: 4))
    let scale = CIFilter.lanczosScaleTransform()
    scale.inputImage = image
    scale.scale = 0.5
    scale.aspectRatio = 1
    #expect(scale.outputImage?.extent.size == CGSize(width: 4, height: 3))
    #expect(CIFilter(name: "CINoSuchFilter") == nil)
    #expect(CIFilter(name: "CIGaussianBlur")?.outputImage == nil)
    #expect(CIFilter(name: "CIGaussianBlur")?.inputKeys == ["inputImage", "inputRadius"])
  }

  @Test("A context writes PNG, JPEG and TIFF files")
  func files() throws {
    let image = try noise(16, 12, seed: 6)
    let context = CIContext()
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(
      UUID().uuidString + ".png")
    defer { try? FileManager.default.removeItem(at: url) }
    let space: CGColorSpace = CGColorSpaceCreateDeviceRGB()
    try context.writePNGRepresentation(of: image, to: url, format: .RGBA8, colorSpace: space)
    #expect(try Picture(contentsOf: url).pixels == image.picture.pixels)
    let jpeg = try #require(context.jpegRepresentation(of: image, colorSpace: space))
    #expect(jpeg.prefix(2) == Data([0xff, 0xd8]))
    let tiff = try #require(
      context.tiffRepresentation(of: image, format: .RGBA8, colorSpace: space))
    #expect(try Picture(data: tiff).pixels == image.picture.pixels)
  }

  @Test("A context writes HEIF with HEVC, near the image's colours")
  func heif() throws {
    var pixels: [UInt8] = []
    for row in 0..<48 {
      for column in 0..<64 { pixels += [UInt8(column * 4), UInt8(row * 5), 90] }
    }
    let colour = try Picture(width: 64, height: 48, pixels: pixels)
    let image = CIImage(cgImage: CGImage(colour))
    let context = CIContext()
    let space: CGColorSpace = CGColorSpaceCreateDeviceRGB()
    let best = [
      CIImageRepresentationOption(rawValue: kCGImageDestinationLossyCompressionQuality): 0.97
    ]
    let bytes = try #require(
      context.heifRepresentation(
        of: image, format: .RGBA8, colorSpace: space, options: best))
    #expect(bytes[4..<12] == Data("ftypheic".utf8))
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(
      UUID().uuidString + ".heic")
    defer { try? FileManager.default.removeItem(at: url) }
    try context.writeHEIFRepresentation(
      of: image, to: url, format: .RGBA8, colorSpace: space, options: best)
    let read = try Picture(contentsOf: url)
    #expect(read.width == 64 && read.height == 48)
    let differences: [Int] = zip(read.pixels, colour.pixels).map { abs(Int($0) - Int($1)) }
    #expect(differences.count == 64 * 48 * 3 && differences.allSatisfy { $0 <= 16 })
  }
}
