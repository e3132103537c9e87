import Foundation
import Testing

@testable import Imaging

/// Applies sRGB's transfer function to a linear value, 0…1.
private func encode(_ linear: Double) -> Double {
  linear <= 0.0031308 ? linear * 12.92 : 1.055 * pow(linear, 1 / 2.4) - 0.055
}

@Suite struct ReadingTests {
  @Test("Grey, palette-free 1-bit and 16-bit PNGs become 8-bit RGB")
  func bitDepths() throws {
    let grey = try Picture(
      data: png(width: 2, height: 1, bitDepth: 8, colourType: 0, rows: [[0, 200]]))
    #expect(grey.pixels == [0, 0, 0, 200, 200, 200])
    #expect(!grey.hasAlpha)

    let bits = try Picture(
      data: png(width: 3, height: 1, bitDepth: 1, colourType: 0, rows: [[0b1010_0000]]))
    #expect(bits.pixels == [255, 255, 255, 0, 0, 0, 255, 255, 255])

    let deep = try Picture(
      data: png(
        width: 1, height: 2, bitDepth: 16, colourType: 2,
        rows: [[0x80, 0x12, 0xFF, 0xFF, 0, 0], [0x40, 0, 0x20, 0, 0x10, 0]]))
    #expect(deep.pixels == [0x80, 255, 0, 0x40, 0x20, 0x10])

    let deepGrey = try Picture(
      data: png(width: 1, height: 1, bitDepth: 16, colourType: 0, rows: [[0x80, 0x12]]))
    #expect(deepGrey.pixels.allSatisfy { abs(Int($0) - 0x80) <= 1 })
  }

  @Test("Alpha is stored separately and does not change the colours")
  func alpha() throws {
    let picture = try Picture(
      data: png(
        width: 2, height: 1, bitDepth: 8, colourType: 6,
        rows: [[10, 20, 30, 0, 40, 50, 60, 200]]))
    #expect(picture.pixels == [10, 20, 30, 40, 50, 60])
    #expect(picture.alpha == [0, 200])

    let grey = try Picture(
      data: png(width: 2, height: 1, bitDepth: 8, colourType: 4, rows: [[9, 255, 90, 3]]))
    #expect(grey.pixels == [9, 9, 9, 90, 90, 90])
    #expect(grey.alpha == [255, 3])

    let deep = try Picture(
      data: png(
        width: 1, height: 1, bitDepth: 16, colourType: 6,
        rows: [[0x80, 0, 0x40, 0, 0x20, 0, 0xC0, 0]]))
    #expect(deep.pixels == [0x80, 0x40, 0x20])
    #expect(deep.alpha == [0xC0])
  }

  @Test("CMYK becomes RGB")
  func cmyk() throws {
    let samples: [UInt8] = [0, 0, 0, 0, 255, 255, 0, 0, 0, 0, 0, 255, 0, 255, 255, 0]
    let picture = try Picture(
      data: tiff(
        width: 4, height: 1, bits: 8, samplesPerPixel: 4, photometric: 5, samples: samples))
    #expect(picture.width == 4)
    #expect(!picture.hasAlpha)
    #expect(picture.pixel(0, 0).allSatisfy { $0 >= 250 }, "no ink is white")
    let blue: [Int] = picture.pixel(1, 0)
    #expect(blue[2] > blue[0] + 30 && blue[2] > blue[1] + 30, "cyan and magenta are blue: \(blue)")
    #expect(picture.pixel(2, 0).allSatisfy { $0 < 70 }, "key is black")
    let red: [Int] = picture.pixel(3, 0)
    #expect(red[0] > red[1] + 100 && red[0] > red[2] + 100, "magenta and yellow are red: \(red)")
  }

  @Test("An embedded profile is converted to sRGB", arguments: [1.0, 1.8, 2.2])
  func profiles(gamma: Double) throws {
    let values: [UInt8] = [0, 32, 64, 128, 192, 255]
    let picture = try Picture(
      data: tiff(
        width: 6, height: 1, bits: 8, samplesPerPixel: 3, photometric: 2,
        samples: values.flatMap { [$0, $0, $0] },
        profile: powerCurveProfile(gamma: gamma, description: "Power curve")))
    for (x, value) in values.enumerated() {
      let expected: Int = Int((encode(pow(Double(value) / 255, gamma)) * 255).rounded())
      #expect(
        picture.pixel(x, 0).allSatisfy { abs($0 - expected) <= 2 },
        "\(value) is \(picture.pixel(x, 0)), expected \(expected)")
    }
  }

  @Test("A profile that declares sRGB leaves pixels unchanged")
  func ownProfile() throws {
    let samples: [UInt8] = [1, 2, 3, 200, 100, 50]
    let profile: Data = powerCurveProfile(gamma: 2.2, description: "sRGB IEC61966-2.1")
    let picture = try Picture(
      data: tiff(
        width: 2, height: 1, bits: 8, samplesPerPixel: 3, photometric: 2, samples: samples,
        profile: profile))
    #expect(picture.pixels == samples)
  }

  @Test("A damaged profile is ignored")
  func damagedProfile() throws {
    let samples: [UInt8] = [1, 2, 3, 200, 100, 50]
    for profile in [Data([1, 2, 3]), Data(repeating: 0xFF, count: 500)] {
      let picture = try Picture(
        data: tiff(
          width: 2, height: 1, bits: 8, samplesPerPixel: 3, photometric: 2, samples: samples,
          profile: profile))
      #expect(picture.pixels == samples)
    }
  }

  @Test("A 16-bit RGB TIFF is read")
  func deepTIFF() throws {
    let picture = try Picture(
      data: tiff(
        width: 1, height: 1, bits: 16, samplesPerPixel: 3, photometric: 2,
        samples: [0, 0x80, 0, 0x40, 0xFF, 0xFF]))
    #expect(picture.pixels == [0x80, 0x40, 255])
  }

  @Test("A file name with brackets is a name, not options")
  func brackets() throws {
    let folder = try TemporaryFolder()
    let path: String = folder.path("holiday [shrink=8].jpg")
    try gradient(width: 64, height: 64).write(toFile: path)
    #expect(try Picture(contentsOfFile: path).width == 64)
  }

  @Test("A size limit refuses a small file that declares a huge image")
  func bomb() throws {
    let bytes: Data = png(
      width: 60000, height: 60000, bitDepth: 8, colourType: 0, rows: [[0]])
    #expect {
      try Picture(data: bytes, name: "bomb.png")
    } throws: {
      "\($0)" == "Picture 'bomb.png': it has 60000 × 60000 pixels, more than the limit of"
        + " 268435456. Scale it down first."
    }
    #expect(try Picture.probe(data: bytes).width == 60000)
    #expect(throws: ImagingError.self) {
      try Picture(data: gradient(width: 20, height: 20).encoded(as: .png), pixelLimit: 399)
    }
  }

  @Test("A file that is not an image gives a message that names it")
  func noPicture() throws {
    let folder = try TemporaryFolder()
    let text: String = folder.path("notes.jpg")
    try Data("Dear diary, today no picture was taken.\n".utf8).write(to: URL(fileURLWithPath: text))
    #expect {
      try Picture(contentsOfFile: text)
    } throws: {
      "\($0)" == "Picture '\(text)': not a picture that libvips can read (its first bytes are of no"
        + " known format). Expected JPEG, PNG, WebP, TIFF, GIF, HEIC, AVIF or BMP; convert it to one of"
        + " these."
    }

    let empty: String = folder.path("empty.png")
    try Data().write(to: URL(fileURLWithPath: empty))
    #expect {
      try Picture(contentsOfFile: empty)
    } throws: { "\($0)".hasPrefix("Picture '\(empty)': not a picture that libvips can read (the") }

    #expect {
      try Picture(contentsOfFile: folder.path("missing.png"))
    } throws: { "\($0)".hasSuffix("missing.png': there is no such file. Check the path.") }
    #expect {
      try Picture(contentsOfFile: folder.url.path)
    } throws: { "\($0)".contains("expected a file, found a folder") }
    #expect(throws: ImagingError.self) { try Picture(data: Data()) }
  }

  @Test(
    "Formats with interpreters or untested parsers are not read",
    arguments: [
      "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'></svg>", "%PDF-1.4\n",
      "2 2\n1 2\n3 4\n", "P3 1 1 255 1 2 3\n",
    ])
  func otherFormats(_ text: String) {
    #expect(throws: ImagingError.self) { try Picture(data: Data(text.utf8)) }
  }

  @Test("A truncated file is refused", arguments: PictureFormat.allCases)
  func truncation(format: PictureFormat) throws {
    let complete: Data = try gradient(width: 300, height: 200).encoded(as: format)
    for share in [0.02, 0.3, 0.6, 0.9] {
      let cut: Data = complete.prefix(Int(Double(complete.count) * share))
      #expect {
        try Picture(data: cut, name: "cut")
      } throws: {
        ($0 as? ImagingError)?.code == .notAPicture && "\($0)".hasPrefix("Picture 'cut': ")
      }
    }
  }

  @Test("Files with flipped bytes give an image or an error", arguments: PictureFormat.allCases)
  func mutations(format: PictureFormat) throws {
    let complete: Data = try gradient(width: 40, height: 30, alpha: true).encoded(as: format)
    var seed: UInt64 = 42
    for _ in 0..<200 {
      var damaged: Data = complete
      for _ in 0..<3 {
        seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        damaged[Int(seed >> 33) % damaged.count] = UInt8(truncatingIfNeeded: seed >> 24)
      }
      do {
        _ = try Picture(data: damaged, pixelLimit: 1 << 22)
      } catch let error as ImagingError {
        #expect(!error.message.isEmpty)
      }
    }
  }

  @Test("An AVIF is read if libvips supports it, and otherwise refused with a message")
  func avif() throws {
    do {
      let picture = try Picture(data: smallAVIF)
      #expect(picture.width == 16)
      #expect(picture.height == 8)
      #expect(zip(picture.pixel(8, 4), [200, 60, 30]).allSatisfy { abs($0 - $1) <= 8 })
    } catch let error as ImagingError {
      #expect(error.code == .notAPicture)
    }
  }

  @Test("A pipe and a device are refused immediately; an open pipe is read")
  func pipes() throws {
    let folder = try TemporaryFolder()
    let pipe: String = folder.path("pipe.jpg")
    try #require(mkfifo(pipe, 0o600) == 0)
    for (path, kind) in [(pipe, "a pipe"), ("/dev/zero", "a device")] {
      let error = #expect(throws: ImagingError.self) { try Picture(contentsOfFile: path) }
      #expect(error?.message.contains("expected a file, found \(kind)") == true)
    }
    let file = try gradient(width: 4, height: 4).encoded(as: .png)
    let open = Pipe()
    open.fileHandleForWriting.write(file)
    try open.fileHandleForWriting.close()
    let path = "/dev/fd/\(open.fileHandleForReading.fileDescriptor)"
    #expect(try Picture(contentsOfFile: path).width == 4)
  }

  @Test("Many threads can read concurrently")
  func threads() async throws {
    let bytes: Data = try gradient(width: 300, height: 200).encoded(as: .png)
    let expected = try Picture(data: bytes)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<16 {
        group.addTask {
          try Picture(data: bytes) == expected
            && Picture(data: bytes).scaled(toWidth: 100, height: 50).width == 100
        }
      }
      for try await equal in group { #expect(equal) }
    }
  }
}
