import AVFoundation
import Foundation
import Testing

@Suite("Audio files, buffers and converters of AVFAudio")
struct AudioTests {
  /// A sine of a frequency, with an amplitude of ½.
  private func sine(_ hertz: Double, rate: Double, frames: Int, channels: UInt32 = 1) throws
    -> AVAudioPCMBuffer
  {
    let format = try #require(
      AVAudioFormat(standardFormatWithSampleRate: rate, channels: channels))
    let buffer = try #require(
      AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(frames)))
    buffer.frameLength = AVAudioFrameCount(frames)
    let data = try #require(buffer.floatChannelData)
    for channel in 0..<Int(channels) {
      for frame in 0..<frames {
        data[channel][frame] =
          0.5 * Float(sin(2 * Double.pi * hertz * Double(frame) / rate)) / Float(channel + 1)
      }
    }
    return buffer
  }

  private func temporary(_ name: String) -> URL {
    FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString + name)
  }

  @Test(
    "A file gives back the samples that were written",
    arguments: [("a.wav", 1e-7), ("a.aiff", 1e-7), ("a.caf", 1e-7), ("a.flac", 1e-6)])
  func roundTrip(_ name: String, _ tolerance: Float) throws {
    let url = temporary(name)
    defer { try? FileManager.default.removeItem(at: url) }
    let written = try sine(440, rate: 16_000, frames: 5000, channels: 2)
    let output = try AVAudioFile(forWriting: url, settings: written.format.settings)
    try output.write(from: written)
    #expect(!FileManager.default.fileExists(atPath: url.path))
    output.close()
    let input = try AVAudioFile(forReading: url)
    #expect(input.length == 5000 && input.processingFormat.channelCount == 2)
    #expect(input.processingFormat.isStandard && input.fileFormat.sampleRate == 16_000)
    let read = try #require(
      AVAudioPCMBuffer(pcmFormat: input.processingFormat, frameCapacity: 3000))
    input.framePosition = 1000
    try input.read(into: read)
    let (before, after) = (
      try #require(written.floatChannelData), try #require(read.floatChannelData)
    )
    #expect(read.frameLength == 3000 && input.framePosition == 4000)
    for frame in 0..<3000 {
      for channel in 0..<2 {
        #expect(abs(before[channel][frame + 1000] - after[channel][frame]) <= tolerance)
      }
    }
    try input.read(into: read)
    #expect(read.frameLength == 1000)
    #expect(throws: NSError.self) { try input.read(into: read) }
  }

  @Test("A 16-bit WAV file has the header and the integers of the format")
  func wave() throws {
    let url = temporary("b.wav")
    defer { try? FileManager.default.removeItem(at: url) }
    let format = try #require(
      AVAudioFormat(
        commonFormat: .pcmFormatFloat32, sampleRate: 8000, channels: 1, interleaved: false))
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 4))
    buffer.frameLength = 4
    let data = try #require(buffer.floatChannelData)
    for (index, value) in ([0, 0.5, -1, 2] as [Float]).enumerated() { data[0][index] = value }
    do {
      let file = try AVAudioFile(
        forWriting: url,
        settings: [
          AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: 8000.0, AVNumberOfChannelsKey: 1,
          AVLinearPCMBitDepthKey: 16, AVLinearPCMIsFloatKey: false,
        ])
      try file.write(from: buffer)
    }
    let bytes = [UInt8](try Data(contentsOf: url))
    #expect(bytes.count == 44 + 8 && String(decoding: bytes[..<4], as: UTF8.self) == "RIFF")
    let samples: [Int16] = stride(from: 44, to: 52, by: 2).map {
      Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
    }
    #expect(samples == [0, 16_384, -32_768, 32_767])
    let whole = try AVAudioFile(
      forReading: url, commonFormat: .pcmFormatInt16, interleaved: true)
    let read = try #require(
      AVAudioPCMBuffer(pcmFormat: whole.processingFormat, frameCapacity: 4))
    try whole.read(into: read)
    let integers = try #require(read.int16ChannelData)
    #expect((0..<4).map { integers[0][$0] } == samples)
  }

  @Test("A file that is not audio gives an error that names it")
  func broken() throws {
    let url = temporary("c.wav")
    try Data("no audio".utf8).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    let error = #expect(throws: NSError.self) { try AVAudioFile(forReading: url) }
    #expect(error?.localizedDescription.contains(url.path) == true)
  }

  @Test("Resampling from 44.1 to 16 kHz keeps a sine of 1 kHz, and all its frames come out")
  func resampling() throws {
    let source = try sine(1000, rate: 44_100, frames: 44_100)
    let format = try #require(
      AVAudioFormat(
        commonFormat: .pcmFormatFloat32, sampleRate: 16_000, channels: 1, interleaved: false))
    let converter = try #require(AVAudioConverter(from: source.format, to: format))
    let output = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 3000))
    var result: [Float] = []
    var given: Bool = false
    var error: NSError?
    while true {
      let status = converter.convert(to: output, error: &error) { _, status in
        status.pointee = given ? .endOfStream : .haveData
        defer { given = true }
        return given ? nil : source
      }
      #expect(status != .error && error == nil)
      if status == .endOfStream || status == .error { break }
      let data = try #require(output.floatChannelData)
      result += (0..<Int(output.frameLength)).map { data[0][$0] }
    }
    #expect(result.count == 16_000)
    var largest: Float = 0
    for frame in 500..<15_500 {
      let expected = 0.5 * Float(sin(2 * Double.pi * 1000 * Double(frame) / 16_000))
      largest = max(largest, abs(result[frame] - expected))
    }
    #expect(largest < 1e-4, "largest error \(largest)")
  }

  @Test("Channels and types are converted without resampling")
  func channels() throws {
    let source = try sine(440, rate: 16_000, frames: 100, channels: 2)
    let mono = try #require(
      AVAudioFormat(
        commonFormat: .pcmFormatInt16, sampleRate: 16_000, channels: 1, interleaved: true))
    let converter = try #require(AVAudioConverter(from: source.format, to: mono))
    let output = try #require(AVAudioPCMBuffer(pcmFormat: mono, frameCapacity: 100))
    let data = try #require(source.floatChannelData)
    try converter.convert(to: output, from: source)
    let first = try #require(output.int16ChannelData)[0]
    #expect((0..<100).allSatisfy { first[$0] == Int16((data[0][$0] * 32_768).rounded()) })
    converter.downmix = true
    try converter.convert(to: output, from: source)
    #expect(
      (0..<100).allSatisfy {
        abs(Float(first[$0]) - (data[0][$0] + data[1][$0]) / 2 * 32_768) <= 0.51
      })
    let other = try sine(440, rate: 8000, frames: 10)
    #expect(throws: NSError.self) { try converter.convert(to: output, from: other) }
  }

  @Test("A buffer with alternating channels has a stride and one audio buffer")
  func layout() throws {
    let format = try #require(
      AVAudioFormat(
        commonFormat: .pcmFormatFloat32, sampleRate: 16_000, channels: 3, interleaved: true))
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 10))
    buffer.frameLength = 7
    let list = UnsafeMutableAudioBufferListPointer(buffer.mutableAudioBufferList)
    #expect(buffer.stride == 3 && list.count == 1 && list[0].mDataByteSize == 84)
    let data = try #require(buffer.floatChannelData)
    #expect(data[1] == data[0] + 1 && buffer.int16ChannelData == nil)
    let planar = try sine(1, rate: 8000, frames: 5, channels: 2)
    let planes = UnsafeMutableAudioBufferListPointer(planar.mutableAudioBufferList)
    #expect(planes.count == 2 && planes[1].mDataByteSize == 20 && planar.stride == 1)
  }
}
