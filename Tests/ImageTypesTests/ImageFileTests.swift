import CoreImage
import CoreVideo
import Foundation
import ImageIO
import Imaging
import Testing

@Suite struct ImageFileTests {
  static func temporaryFile(_ name: String) -> URL {
    FileManager.default.temporaryDirectory.appendingPathComponent(
      "atelier-\(UUID().uuidString)-\(name)")
  }

  @Test(
    "A source reads the file that a destination writes", arguments: [kUTTypePNG, kUTTypeTIFF])
  func roundTrip(type: String) throws {
    let url: URL = Self.temporaryFile("picture")
    defer { try? FileManager.default.removeItem(at: url) }
    let picture: Picture = try testPicture(width: 12, height: 7)
    let destination = try #require(
      CGImageDestinationCreateWithURL(url as CFURL, type as CFString, 1, nil))
    #expect(!CGImageDestinationFinalize(destination), "nothing to write yet")
    CGImageDestinationAddImage(destination, CGImage(picture), nil)
    #expect(CGImageDestinationFinalize(destination))

    let source = try #require(CGImageSourceCreateWithURL(url as CFURL, nil))
    #expect(CGImageSourceGetCount(source) == 1)
    let image = try #require(CGImageSourceCreateImageAtIndex(source, 0, nil))
    #expect(try image.picture == picture)
    #expect(CGImageSourceCreateImageAtIndex(source, 1, nil) == nil)
    let properties = try #require(CGImageSourceCopyPropertiesAtIndex(source, 0, nil))
    #expect(properties[kCGImagePropertyPixelWidth] as? Int == 12)
    #expect(properties[kCGImagePropertyPixelHeight] as? Int == 7)
  }

  @Test("A destination in memory accepts a quality")
  func quality() throws {
    let image = CGImage(try testPicture(width: 64, height: 64))
    func size(_ quality: Double) throws -> Int {
      let data = NSMutableData()
      let destination = try #require(
        CGImageDestinationCreateWithData(
          data as CFMutableData, kUTTypeJPEG, 1, nil))
      let options = [kCGImageDestinationLossyCompressionQuality: quality] as CFDictionary
      CGImageDestinationAddImage(destination, image, options)
      #expect(CGImageDestinationFinalize(destination))
      return data.length
    }
    #expect(try size(0.2) < size(0.95))
    let unknown = CGImageDestinationCreateWithData(NSMutableData(), "public.heic", 1, nil)
    #expect(unknown == nil)
  }

  @Test("A thumbnail fits its maximum side")
  func thumbnail() throws {
    let bytes: Data = try testPicture(width: 60, height: 30).encoded(as: .png)
    let source = try #require(CGImageSourceCreateWithData(bytes as CFData, nil))
    let options =
      [
        kCGImageSourceCreateThumbnailFromImageAlways: true,
        kCGImageSourceCreateThumbnailWithTransform: true,
        kCGImageSourceThumbnailMaxPixelSize: 20,
      ] as [CFString: Any] as CFDictionary
    let image = try #require(CGImageSourceCreateThumbnailAtIndex(source, 0, options))
    #expect(image.width == 20)
    #expect(image.height == 10)
  }

  @Test("A file that is not an image gives nil")
  func noPicture() {
    #expect(CGImageSourceCreateWithData(Data("text".utf8) as CFData, nil) == nil)
    #expect(CGImageSourceCreateWithURL(URL(fileURLWithPath: "/nowhere.png") as CFURL, nil) == nil)
    #expect(CIImage(contentsOf: URL(fileURLWithPath: "/nowhere.png")) == nil)
    #expect(CIImage(data: Data()) == nil)
  }

  @Test("Orientations have EXIF's numbers", arguments: CGImagePropertyOrientation.allCases)
  func numbers(orientation: CGImagePropertyOrientation) throws {
    let expected: [UInt32: String] = [
      1: "up", 2: "upMirrored", 3: "down", 4: "downMirrored", 5: "leftMirrored", 6: "right",
      7: "rightMirrored", 8: "left",
    ]
    #expect(expected[orientation.rawValue] == "\(orientation)")
    #expect("\(orientation.pictureOrientation)" == "\(orientation)")
    let image = CIImage(try testPicture(width: 6, height: 4))
    let rotated: CIImage = image.oriented(orientation)
    #expect(try rotated.picture == image.picture.oriented(orientation.pictureOrientation))
    #expect(rotated.extent.width == (orientation.rawValue > 4 ? 4 : 6))
  }
}

@Suite struct CIImageTests {
  @Test("Cropping is measured from the lower left and keeps the origin")
  func cropping() throws {
    let picture: Picture = try testPicture(width: 10, height: 8)
    let part: CIImage = CIImage(picture).cropped(to: CGRect(x: 2, y: 1, width: 3, height: 4))
    #expect(part.extent == CGRect(x: 2, y: 1, width: 3, height: 4))
    #expect(try part.picture == picture.cropped(x: 2, y: 3, width: 3, height: 4))
    let again: CIImage = part.cropped(to: CGRect(x: 4, y: 4, width: 9, height: 9))
    #expect(again.extent == CGRect(x: 4, y: 4, width: 1, height: 1))
    #expect(try again.picture == picture.cropped(x: 4, y: 3, width: 1, height: 1))
    #expect(throws: ImagingError.self) {
      try part.cropped(to: CGRect(x: 50, y: 50, width: 1, height: 1)).picture
    }
  }

  @Test("A context draws into a buffer at the image's origin, with black around it")
  func rendering() throws {
    let picture: Picture = try testPicture(width: 4, height: 3)
    let buffer: CVPixelBuffer = try testPicture(width: 6, height: 5).pixelBuffer()
    let moved = CIImage(picture).transformed(by: CGAffineTransform(translationX: 1, y: 2))
    CIContext().render(moved, to: buffer)
    let drawn = try Picture(buffer)
    #expect(try drawn.cropped(x: 1, y: 0, width: 4, height: 3) == picture)
    #expect(drawn.pixels.prefix(3).allSatisfy { $0 == 0 })
    #expect(drawn.pixels.suffix(36).allSatisfy { $0 == 0 })

    let opaque: CVPixelBuffer = try testPicture(width: 4, height: 3).pixelBuffer(
      format: kCVPixelFormatType_32ARGB)
    CIContext().render(CIImage(picture), to: opaque)
    #expect(try Picture(opaque) == picture)
  }

  @Test("A context creates an image of a rectangle")
  func images() throws {
    let picture: Picture = try testPicture(width: 10, height: 8)
    let image = CIImage(cgImage: CGImage(picture))
    let context = CIContext(options: nil)
    #expect(try context.createCGImage(image, from: image.extent)?.picture == picture)
    #expect(context.createCGImage(image, from: CGRect(x: 90, y: 0, width: 5, height: 5)) == nil)
    let fromBuffer = CIImage(cvPixelBuffer: try picture.pixelBuffer())
    #expect(try fromBuffer.picture == picture)
  }

  @Test("Scaling and mirroring transform the extent and the pixels")
  func transforms() throws {
    let picture: Picture = try testPicture(width: 10, height: 8)
    let doubled: CIImage = CIImage(picture).transformed(by: CGAffineTransform(scaleX: 2, y: 0.5))
    #expect(doubled.extent == CGRect(x: 0, y: 0, width: 20, height: 4))
    #expect(try doubled.picture.width == 20)
    let same: CIImage = CIImage(picture).transformed(
      by: CGAffineTransform(scaleX: 2, y: 0.5), highQualityDownsample: true)
    #expect(try same.picture == doubled.picture)
    let mirrored: CIImage = CIImage(picture).transformed(by: CGAffineTransform(scaleX: -1, y: 1))
    #expect(mirrored.extent == CGRect(x: -10, y: 0, width: 10, height: 8))
    #expect(try mirrored.picture == picture.oriented(.upMirrored))
    #expect {
      try CIImage(picture).transformed(by: CGAffineTransform(rotationAngle: 0.3)).picture
    } throws: { "\($0)".contains("rotation or shearing") }
  }

  @Test("A buffer without an image reports an error when its pixels are read")
  func unreadableBuffer() throws {
    var made: CVPixelBuffer?
    CVPixelBufferCreate(nil, 4, 3, kCVPixelFormatType_TwoComponent8, nil, &made)
    let image = CIImage(cvPixelBuffer: try #require(made))
    #expect(image.extent == CGRect(x: 0, y: 0, width: 4, height: 3))
    #expect(throws: ImagingError.self) { try image.picture }
    #expect(CIContext().createCGImage(image, from: image.extent) == nil)
  }
}
