import AVFoundation
import CoreVideo
import Foundation
import Imaging
import Testing

private enum Programs {
  /// Whether ffmpeg is installed.
  static let areInstalled: Bool = ["ffmpeg", "ffprobe"].allSatisfy { name in
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
  }

  /// Runs a program in a folder and returns its standard output.
  @discardableResult
  static func run(_ name: String, _ arguments: String, in folder: URL) throws -> Data {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [name] + arguments.split(separator: " ").map(String.init)
    process.currentDirectoryURL = folder
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data: Data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(name) \(arguments)")
    return data
  }
}

/// Tests with small films that ffmpeg makes.
@Suite("Films through AVFoundation", .enabled(if: Programs.areInstalled))
struct FilmFramesTests {
  private func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "films-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
  }

  /// Makes a film of 10 frames of 50 × 38 pixels, with sound.
  private func makeFilm(_ options: String = "", in folder: URL) throws -> AVURLAsset {
    try Programs.run(
      "ffmpeg",
      "-v error -f lavfi -i testsrc=size=50x38:rate=5:duration=2,gblur=sigma=1 -f lavfi -i sine=duration=2"
        + " -c:v libx264 -crf 1 -pix_fmt yuv420p -colorspace bt709 \(options) -c:a aac -y film.mp4",
      in: folder)
    return AVURLAsset(url: folder.appendingPathComponent("film.mp4"))
  }

  /// Returns red, green and blue of all pixels of the film's frames, as ffmpeg converts them.
  private func pixels(_ options: String, in folder: URL) throws -> [UInt8] {
    [UInt8](
      try Programs.run(
        "ffmpeg", "-v error -i film.mp4 \(options) -f rawvideo -pix_fmt rgb24 -", in: folder))
  }

  private func samples(
    _ asset: AVAsset, _ format: OSType, range: CMTimeRange? = nil, settings: [String: Any] = [:]
  ) async throws -> [CMSampleBuffer] {
    let reader = try AVAssetReader(asset: asset)
    let track = try #require(try await asset.loadTracks(withMediaType: .video).first)
    let output = AVAssetReaderTrackOutput(
      track: track,
      outputSettings: settings.merging([kCVPixelBufferPixelFormatTypeKey: format]) { $1 })
    #expect(reader.canAdd(output))
    reader.add(output)
    if let range { reader.timeRange = range }
    #expect(reader.startReading())
    var samples: [CMSampleBuffer] = []
    while let sample = output.copyNextSampleBuffer() { samples.append(sample) }
    #expect(reader.status == .completed && reader.error == nil)
    return samples
  }

  private func distance(_ one: [UInt8], _ other: [UInt8]) -> Double {
    guard one.count == other.count, !one.isEmpty else { return .infinity }
    let sum: Int = zip(one, other).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
    return Double(sum) / Double(one.count)
  }

  @Test("An asset says what its tracks are, and a rotation is a transform")
  func properties() async throws {
    try await withFolder { folder in
      let asset = try makeFilm(in: folder)
      let (duration, tracks) = try await asset.load(.duration, .tracks)
      #expect(abs(duration.seconds - 2) < 0.1)
      #expect(tracks.map(\.mediaType) == [.video, .audio])
      #expect(asset.duration == duration && asset.tracks(withMediaType: .audio).count == 1)
      let (size, rate, transform) = try await tracks[0].load(
        .naturalSize, .nominalFrameRate, .preferredTransform)
      #expect(size == CGSize(width: 50, height: 38) && rate == 5)
      #expect(transform == CGAffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0))
      try Programs.run(
        "ffmpeg", "-v error -i film.mp4 -c copy -metadata:s:v:0 rotate=270 -y turned.mp4",
        in: folder)
      let turned = AVAsset(url: folder.appendingPathComponent("turned.mp4"))
      let track = try #require(turned.tracks.first)
      #expect(track.naturalSize == CGSize(width: 50, height: 38))
      let corner = CGPoint(x: 0, y: 0).applying(track.preferredTransform)
      #expect(corner == CGPoint(x: 38, y: 0), "the first pixel is at the top right")
    }
  }

  @Test(
    "Frames have ffmpeg's pixels and times, in every format",
    arguments: [
      kCVPixelFormatType_32BGRA, kCVPixelFormatType_24RGB,
      kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange,
      kCVPixelFormatType_420YpCbCr8BiPlanarFullRange,
    ])
  func reading(format: OSType) async throws {
    try await withFolder { folder in
      let asset = try makeFilm(in: folder)
      // Planes are read with the same chroma for 2 × 2 pixels, as with ffmpeg's flag neighbor.
      let isPlanar: Bool =
        format == kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
        || format == kCVPixelFormatType_420YpCbCr8BiPlanarFullRange
      let expected: [UInt8] = try pixels(
        isPlanar
          ? "-sws_flags neighbor+accurate_rnd"
          : "-vf scale=50:38:flags=lanczos+accurate_rnd,format=rgb24", in: folder)
      let frames = try await samples(asset, format)
      #expect(frames.count == 10)
      let size: Int = 50 * 38 * 3
      for (index, frame) in frames.enumerated() {
        let buffer = try #require(frame.imageBuffer)
        #expect(CVPixelBufferGetPixelFormatType(buffer) == format)
        #expect(abs(frame.presentationTimeStamp.seconds - Double(index) * 0.2) < 1e-5)
        #expect(abs(frame.duration.seconds - 0.2) < 1e-5)
        let found: Double = distance(
          try Picture(buffer).pixels, Array(expected[index * size..<(index + 1) * size]))
        #expect(found < 2, "frame \(index): \(found)")
      }
      let last = try #require(frames.last?.imageBuffer)
      #expect(
        distance(try Picture(last).pixels, Array(expected[0..<size])) > 3,
        "the test can tell frames apart")
    }
  }

  @Test("Planes are converted by the film's matrix")
  func matrix() async throws {
    try await withFolder { folder in
      let asset = try makeFilm(in: folder)
      let planar = try await samples(asset, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange)
      let buffer = try #require(planar[3].imageBuffer)
      let all: [UInt8] = try pixels("-sws_flags neighbor+accurate_rnd", in: folder)
      let expected = Array(all[3 * 50 * 38 * 3..<4 * 50 * 38 * 3])
      #expect(
        CVBufferCopyAttachment(buffer, kCVImageBufferYCbCrMatrixKey, nil) as? String
          == kCVImageBufferYCbCrMatrix_ITU_R_709_2)
      let right: Double = distance(try Picture(buffer).pixels, expected)
      CVBufferSetAttachment(
        buffer, kCVImageBufferYCbCrMatrixKey, kCVImageBufferYCbCrMatrix_ITU_R_601_4 as AnyObject,
        .shouldPropagate)
      let wrong: Double = distance(try Picture(buffer).pixels, expected)
      #expect(right < 2 && wrong > right + 1, "\(right), \(wrong)")
    }
  }

  @Test("A time range and a size are those of the samples")
  func part() async throws {
    try await withFolder { folder in
      let asset = try makeFilm(in: folder)
      let part = try await samples(
        asset, kCVPixelFormatType_32BGRA,
        range: CMTimeRange(
          start: CMTime(value: 4, timescale: 10), duration: CMTime(value: 6, timescale: 10)),
        settings: [kCVPixelBufferWidthKey: 25, kCVPixelBufferHeightKey: 19])
      #expect(part.map { ($0.presentationTimeStamp.seconds * 10).rounded() } == [4, 6, 8])
      #expect(CVPixelBufferGetWidth(try #require(part[0].imageBuffer)) == 25)
    }
  }

  @Test("What cannot be read is said")
  func refusals() async throws {
    try await withFolder { folder in
      let asset = try makeFilm(in: folder)
      let sound = try #require(asset.tracks(withMediaType: .audio).first)
      for (track, settings, word) in [
        (sound, [:], "no pictures"), (asset.tracks[0], [:], "32BGRA"),
      ] as [(AVAssetTrack, [String: Any], String)] {
        let reader = try AVAssetReader(asset: asset)
        let output = AVAssetReaderTrackOutput(track: track, outputSettings: settings)
        #expect(!reader.canAdd(output))
        reader.add(output)
        #expect(!reader.startReading() && reader.status == .failed)
        #expect(output.copyNextSampleBuffer() == nil)
        #expect(reader.error.map { "\($0)".contains(word) } == true)
      }
      let text = folder.appendingPathComponent("text.mp4")
      try Data("no film".utf8).write(to: text)
      #expect(throws: AVError.self) { _ = try AVAssetReader(asset: AVAsset(url: text)) }
      #expect(AVAsset(url: text).tracks.isEmpty && AVAsset(url: text).duration == .zero)
      await #expect(throws: AVError.self) { _ = try await AVAsset(url: text).load(.tracks) }
    }
  }

  @Test("A film that is written has the frames and the times, and a rotation turns it")
  func writing() async throws {
    try await withFolder { folder in
      let asset = try makeFilm(in: folder)
      let frames = try await samples(asset, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange)
      let location = folder.appendingPathComponent("copy.mov")
      let writer = try AVAssetWriter(outputURL: location, fileType: .mov)
      let input = AVAssetWriterInput(
        mediaType: .video,
        outputSettings: [
          AVVideoCodecKey: AVVideoCodecType.h264, AVVideoWidthKey: 50, AVVideoHeightKey: 38,
        ])
      let adaptor = AVAssetWriterInputPixelBufferAdaptor(assetWriterInput: input)
      #expect(adaptor.pixelBufferPool != nil && writer.canAdd(input))
      writer.add(input)
      #expect(writer.startWriting())
      // The frames begin at a second, and their steps differ.
      writer.startSession(atSourceTime: CMTime(value: 1, timescale: 1))
      let times: [Int64] = [1000, 1040, 1200, 1210, 1500, 1600, 1700, 1800, 1900, 2000]
      for (frame, time) in zip(frames, times) {
        #expect(
          adaptor.append(
            try #require(frame.imageBuffer),
            withPresentationTime: CMTime(value: time, timescale: 1000)))
      }
      #expect(!FileManager.default.fileExists(atPath: location.path), "not before it is complete")
      input.markAsFinished()
      await writer.finishWriting()
      #expect(writer.status == .completed, "\(String(describing: writer.error))")
      let written = try await samples(AVAsset(url: location), kCVPixelFormatType_32BGRA)
      #expect(
        written.map { Int64(($0.presentationTimeStamp.seconds * 1000).rounded()) }
          == times.map { $0 - 1000 })
      for (one, other) in zip(frames, written) {
        let found: Double = distance(
          try Picture(try #require(one.imageBuffer)).pixels,
          try Picture(try #require(other.imageBuffer)).pixels)
        #expect(found < 8, "\(found)")
      }
      let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(!left.contains { $0.hasPrefix(".") })
    }
  }

  private func frame(_ width: Int) throws -> CVPixelBuffer {
    try Picture(width: width, height: 16) { _ in }.pixelBuffer()
  }

  /// Writes a film whose last frame is wrong. Returns the error's sentence.
  private func refusal(
    of frames: [(buffer: CVPixelBuffer, time: CMTime)], at location: URL
  ) async throws -> String {
    let writer = try AVAssetWriter(outputURL: location, fileType: .mp4)
    let input = AVAssetWriterInput(mediaType: .video, outputSettings: nil)
    let adaptor = AVAssetWriterInputPixelBufferAdaptor(assetWriterInput: input)
    writer.add(input)
    writer.startWriting()
    writer.startSession(atSourceTime: .zero)
    for (index, frame) in frames.enumerated() {
      let isTaken: Bool = adaptor.append(frame.buffer, withPresentationTime: frame.time)
      #expect(isTaken == (index + 1 < frames.count))
    }
    await writer.finishWriting()
    #expect(writer.status == .failed)
    return writer.error.map { "\($0)" } ?? ""
  }

  @Test("Wrong frames, files and settings are refused with a sentence, and leave no file")
  func refusedWriting() async throws {
    try await withFolder { folder in
      let location = folder.appendingPathComponent("new.mp4")
      let (narrow, broad) = (try frame(16), try frame(18))
      let half = CMTime(value: 1, timescale: 2)
      #expect(try await refusal(of: [], at: location).contains("no frames"))
      let late: String = try await refusal(of: [(narrow, half), (narrow, .zero)], at: location)
      #expect(late.contains("order of their times"))
      let wide: String = try await refusal(of: [(narrow, .zero), (broad, half)], at: location)
      #expect(wide.contains("18 × 16"))
      let writer = try AVAssetWriter(outputURL: location, fileType: .mp4)
      let sound = AVAssetWriterInput(mediaType: .audio, outputSettings: nil)
      #expect(!writer.canAdd(sound))
      writer.add(sound)
      #expect(!writer.startWriting() && writer.status == .failed)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
      try Data([1]).write(to: location)
      #expect(throws: AVError.self) {
        _ = try AVAssetWriter(outputURL: location, fileType: .mp4)
      }
    }
  }

  @Test("A generator gives the frame that is shown at a time, upright on request")
  func stills() async throws {
    try await withFolder { folder in
      let asset = try makeFilm(in: folder)
      let frames = try await samples(asset, kCVPixelFormatType_32BGRA)
      let generator = AVAssetImageGenerator(asset: asset)
      for (time, index) in [(0.0, 0), (0.19, 0), (0.2, 1), (1.15, 5), (2.0, 9)] {
        var actual = CMTime.invalid
        let image = try generator.copyCGImage(
          at: CMTime(seconds: time, preferredTimescale: 1_000_000), actualTime: &actual)
        #expect(abs(actual.seconds - Double(index) * 0.2) < 1e-5, "\(time): \(actual.seconds)")
        #expect(image.width == 50 && image.height == 38)
        let picture = try #require(frames[index].imageBuffer)
        #expect(try image.picture.pixels == Picture(picture).pixels)
      }
      generator.maximumSize = CGSize(width: 25, height: 100)
      let small = try await generator.image(at: .zero).image
      #expect(small.width == 25 && small.height == 19)
      await #expect(throws: AVError.self) {
        _ = try await generator.image(at: CMTime(value: 9, timescale: 1))
      }
      try Programs.run(
        "ffmpeg", "-v error -i film.mp4 -c copy -metadata:s:v:0 rotate=270 -y turned.mp4",
        in: folder)
      let turned = AVAssetImageGenerator(
        asset: AVAsset(url: folder.appendingPathComponent("turned.mp4")))
      #expect(try await turned.image(at: .zero).image.width == 50)
      turned.appliesPreferredTrackTransform = true
      #expect(try await turned.image(at: .zero).image.width == 38)
    }
  }
}
