import Foundation
import Testing

@testable import Imaging

/// Compares converted colours with those of ImageMagick, which calls the library Little CMS without libvips.
struct ColourConversionTests {
  private static let files: [SmallProfiledPicture] = [.cmyk, .displayP3, .grey]

  /// Returns the mean and the largest difference from ImageMagick's colours.
  private func difference(_ picture: Picture, from colours: [[Int]]) -> (mean: Double, largest: Int)
  {
    let differences: [Int] = colours.enumerated().flatMap { index, colour in
      zip(picture.pixel(index * 8 + 4, 4), colour).map { abs($0 - $1) }
    }
    return (Double(differences.reduce(0, +)) / Double(differences.count), differences.max() ?? 256)
  }

  @Test("Colours of an embedded profile become those that ImageMagick computes", arguments: files)
  func converted(file: SmallProfiledPicture) throws {
    let picture = try Picture(data: file.data)
    #expect((picture.width, picture.height) == (48, 8))
    let (mean, largest) = difference(picture, from: file.colours)
    #expect(mean < 1 && largest <= 2, "mean \(mean), largest \(largest)")
  }

  @Test("A CMYK profile with the relative colorimetric table alone is used as well")
  func relativeTable() throws {
    var data: Data = SmallProfiledPicture.cmyk.data
    let tag = try #require(data.range(of: Data("A2B0".utf8)))
    data.replaceSubrange(tag, with: Data("A2B1".utf8))
    let (mean, largest) = difference(
      try Picture(data: data), from: SmallProfiledPicture.cmyk.colours)
    #expect(mean < 1 && largest <= 2, "mean \(mean), largest \(largest)")
  }

  @Test("A picture of 16 bits is converted with the same table")
  func deep() throws {
    let folder = try TemporaryFolder()
    let path: String = folder.path("p3.png")
    try SmallProfiledPicture.displayP3.data.write(to: URL(fileURLWithPath: path))
    let deep = try DeepPicture(contentsOfFile: path).rounded()
    let (mean, largest) = difference(deep, from: SmallProfiledPicture.displayP3.colours)
    #expect(mean < 1 && largest <= 2, "mean \(mean), largest \(largest)")
  }

  @Test("A painting of a Display P3 photo gets the profile, and its colours stay the same")
  func wideGamut() throws {
    let folder = try TemporaryFolder()
    let path: String = folder.path("p3.png")
    try SmallProfiledPicture.displayP3.data.write(to: URL(fileURLWithPath: path))
    let profile = try #require(try EmbeddedMetadata(contentsOfFile: path).profile)
    let picture = try Picture(contentsOfFile: path)
    var encoding = PictureEncoding(quality: 100)
    encoding.profile = profile
    let written: String = folder.path("painted.png")
    try picture.encoded(as: .png, encoding).write(to: URL(fileURLWithPath: written))
    #expect(try EmbeddedMetadata(contentsOfFile: written).profile == profile)
    #expect(try Picture(contentsOfFile: written).largestDifference(to: picture) <= 3)
  }

  @Test("A profile to which colours cannot be converted is left out")
  func scannerProfile() throws {
    // The profile of an RGB scanner: a table from its colours to Lab, and none back.
    let folder = try TemporaryFolder()
    let path: String = folder.path("cmyk.jpg")
    try SmallProfiledPicture.cmyk.data.write(to: URL(fileURLWithPath: path))
    var profile = try #require(try EmbeddedMetadata(contentsOfFile: path).profile)
    for space in ["CMYK", "RGB "] {
      profile.replaceSubrange(16..<20, with: Data(space.utf8))
      var encoding = PictureEncoding()
      encoding.profile = profile
      #expect(encoding.target == nil, "\(space)")
      #expect(throws: Never.self) {
        try gradient(width: 8, height: 8).encoded(as: .png, encoding)
      }
    }
  }

  @Test("The tables of a profile decide the intent")
  func intents() {
    func profile(_ tags: [String]) -> Data {
      var data = Data(count: 16) + Data("RGB ".utf8) + Data(count: 108)
      data.appendBig(UInt32(tags.count))
      for tag in tags {
        data.append(Data(tag.utf8))
        data.appendBig(132)
        data.appendBig(8)
      }
      return data + Data(count: 8)
    }
    let matrix: [String] = ["rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC"]
    for (tags, source, target, isTarget) in [
      (["A2B0"], ColourProfile.Intent.perceptual, .relativeColorimetric, false),
      (["A2B0", "A2B1"], .relativeColorimetric, .relativeColorimetric, false),
      (["A2B0", "B2A0"], .perceptual, ColourProfile.Intent.perceptual, true),
      (matrix, .relativeColorimetric, .relativeColorimetric, true),
      ([], .relativeColorimetric, .relativeColorimetric, false),
    ] {
      profile(tags).withUnsafeBytes { bytes in
        let profile = ColourProfile(bytes)
        #expect(profile.intentOfSource == source && profile.intentOfTarget == target, "\(tags)")
        #expect(profile.isTargetForRGB == isTarget, "\(tags)")
      }
    }
    // Neither an empty nor a cut profile is read beyond its end.
    for count in [0, 17, 131, 133, 140] {
      profile(["A2B0"]).prefix(count).withUnsafeBytes {
        #expect(!ColourProfile($0).isTargetForRGB && !ColourProfile($0).isSRGB)
      }
    }
  }
}
