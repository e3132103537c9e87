// Converts samples to interleaved float32, the form of libsndfile and libsoxr, and back. Integers become numbers from
// −1 to 1. The conversion back to integers clamps. The loops copy the samples once. A library would not be faster.

extension AVAudioPCMBuffer {
  /// The samples of some frames, from −1 to 1.
  func interleaved(_ frames: Range<Int>) -> [Float] {
    let count = Int(format.channelCount)
    let step: Int = stride
    return [Float](unsafeUninitializedCapacity: frames.count * count) { target, used in
      func fill<Sample>(
        _ channels: UnsafePointer<UnsafeMutablePointer<Sample>>, _ value: (Sample) -> Float
      ) {
        for channel in 0..<count {
          let source: UnsafeMutablePointer<Sample> = channels[channel]
          var index: Int = channel
          for frame in frames {
            target[index] = value(source[frame * step])
            index += count
          }
        }
      }
      if let data = floatChannelData { fill(data) { $0 } }
      if let data = doubleChannelData { fill(data) { Float($0) } }
      if let data = int16ChannelData { fill(data) { Float($0) / 32_768 } }
      if let data = int32ChannelData { fill(data) { Float($0) / 2_147_483_648 } }
      used = frames.count * count
    }
  }

  /// Writes interleaved samples from a frame on, and sets `frameLength` to their end.
  func store(_ samples: ArraySlice<Float>, from first: Int) {
    let count = Int(format.channelCount)
    let frames: Int = samples.count / count
    let step: Int = stride
    samples.withUnsafeBufferPointer { source in
      func fill<Sample>(
        _ channels: UnsafePointer<UnsafeMutablePointer<Sample>>, _ value: (Float) -> Sample
      ) {
        for channel in 0..<count {
          let target: UnsafeMutablePointer<Sample> = channels[channel]
          for frame in 0..<frames {
            target[(first + frame) * step] = value(source[frame * count + channel])
          }
        }
      }
      if let data = floatChannelData { fill(data) { $0 } }
      if let data = doubleChannelData { fill(data) { Double($0) } }
      if let data = int16ChannelData { fill(data) { Int16(clamped($0, 32_768)) } }
      if let data = int32ChannelData { fill(data) { Int32(clamped($0, 2_147_483_648)) } }
    }
    frameLength = AVAudioFrameCount(first + frames)
  }
}

/// A sample as an integer, rounded and clamped. NaN becomes 0.
private func clamped(_ sample: Float, _ scale: Double) -> Double {
  sample.isNaN ? 0 : min(scale - 1, max(-scale, (Double(sample) * scale).rounded()))
}

/// Converts samples to another number of channels. If the source is mono, all channels get its samples. Otherwise, the
/// result has the first channels of the source, followed by silent channels. If `mixes` is true, a mono result is the
/// mean of all channels.
func remapped(_ samples: [Float], from: Int, to: Int, mixes: Bool) -> [Float] {
  guard from != to else { return samples }
  let frames: Int = samples.count / from
  return [Float](unsafeUninitializedCapacity: frames * to) { target, used in
    for frame in 0..<frames {
      for channel in 0..<to {
        let value: Float
        if from == 1 {
          value = samples[frame]
        } else if mixes, to == 1 {
          value = samples[frame * from..<(frame + 1) * from].reduce(0, +) / Float(from)
        } else {
          value = channel < from ? samples[frame * from + channel] : 0
        }
        target[frame * to + channel] = value
      }
    }
    used = frames * to
  }
}
