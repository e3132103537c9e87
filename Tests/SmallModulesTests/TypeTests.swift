import Foundation
import Testing

@testable import UniformTypeIdentifiers

@Suite("Types of UniformTypeIdentifiers")
struct TypeTests {
  @Test(
    "An extension and a MIME type name the same type",
    arguments: [
      ("JPG", "image/jpeg", UTType.jpeg), ("png", "image/png", .png), ("tif", "image/tiff", .tiff),
      ("heic", "image/heic", .heic), ("webp", "image/webp", .webP),
      ("mov", "video/quicktime", .quickTimeMovie),
      ("mp4", "video/mp4", .mpeg4Movie), ("wav", "audio/wav", .wav),
      ("json", "application/json", .json),
      ("csv", "text/csv", .commaSeparatedText), ("zip", "application/zip", .zip),
      ("txt", "text/plain", .plainText), ("pdf", "application/pdf", .pdf),
    ] as [(String, String, UTType)])
  func tags(_ fileExtension: String, _ mimeType: String, _ type: UTType) {
    #expect(UTType(filenameExtension: fileExtension) == type)
    #expect(UTType(mimeType: mimeType) == type)
    #expect(UTType(type.identifier) == type)
  }

  @Test("Types conform to their parents and the parents of these")
  func conformance() {
    #expect(UTType.jpeg.conforms(to: .image) && UTType.jpeg.conforms(to: .data))
    #expect(UTType.jpeg.conforms(to: .item) && !UTType.jpeg.conforms(to: .movie))
    #expect(UTType.mpeg4Movie.conforms(to: .audiovisualContent))
    #expect(UTType.heic.isSubtype(of: .image) && UTType.image.isSupertype(of: .png))
    #expect(!UTType.image.isSubtype(of: .image) && UTType.image.conforms(to: .image))
    #expect(UTType.jpeg.preferredFilenameExtension == "jpeg")
    #expect(UTType.jpeg.preferredMIMEType == "image/jpeg")
    #expect(UTType.png.identifier == "public.png" && UTType.png.isPublic)
  }

  @Test("Every type's parents are declared, and no type is its own ancestor")
  func table() {
    for type in DeclaredType.all {
      for parent in type.parents { #expect(DeclaredType.byIdentifier[parent] != nil, "\(parent)") }
      #expect(
        !UTType(declared: type.identifier).supertypes.contains(UTType(declared: type.identifier)))
    }
    #expect(DeclaredType.byIdentifier.count == DeclaredType.all.count)
  }

  @Test("An unknown extension gives a dynamic type")
  func dynamic() throws {
    let type = try #require(UTType(filenameExtension: "xyzzy", conformingTo: .image))
    #expect(type.isDynamic && !type.isDeclared && type.conforms(to: .image))
    #expect(type.preferredFilenameExtension == "xyzzy")
    #expect(UTType("com.example.unknown") == nil)
    #expect(UTType(filenameExtension: "jpg", conformingTo: .movie)?.isDynamic == true)
    let own = UTType(exportedAs: "com.example.own", conformingTo: .json)
    #expect(own.conforms(to: .text))
  }

  @Test("A URL gets a type's extension once")
  func locations() {
    let folder = URL(fileURLWithPath: "/tmp")
    #expect(folder.appendingPathComponent("a", conformingTo: .png).lastPathComponent == "a.png")
    #expect(
      folder.appendingPathComponent("a.JPG", conformingTo: .jpeg).lastPathComponent == "a.JPG")
  }
}
