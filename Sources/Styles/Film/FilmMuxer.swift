import FFmpeg
import Files
import Foundation

/// Joins the segments of a film, and adds the audio, subtitles, chapters and metadata of the original.
struct FilmMuxer {
  /// The original. Nil for frames that come from no film.
  let film: FilmDescription?
  let format: FilmOutputFormat
  let programs: FilmPrograms
  /// The part of the film that is painted, in seconds. Nil for the beginning or the end.
  let from: Double?
  let to: Double?
  /// Whether the frames of the segments have the rotation in which the original stores them.
  let isRotatedBack: Bool

  /// Writes the film.
  ///
  /// - Returns: Sentences about tracks that could not be copied as they are.
  func write(_ journal: FilmJournal, in folder: SegmentFolder, to path: String) throws -> [String] {
    var list = "ffconcat version 1.0\n"
    for (index, segment) in journal.segments.enumerated() {
      list += "file 'segment-\(index).nut'\nduration \(Self.seconds(segment.end - segment.begin))\n"
    }
    try WholeFile.write(Data(list.utf8), to: folder.list)
    let begin: Int64 = (journal.segments.first?.begin ?? 0) - Int64((from ?? 0) * 1e6)
    let end: Int64 = journal.segments.last?.end ?? 0
    if format.isAnimation {
      if let sentence = try run(animation(folder), to: path) { throw failure(sentence, path) }
      return []
    }
    var sentences: [String] = []
    var sentence: String? = try run(
      arguments(folder, begin: begin, end: end, audio: "copy", &sentences), to: path)
    if sentence != nil, !Self.isFullDisk(sentence),
      film?.tracks.contains(where: { $0.kind == "audio" }) ?? false
    {
      // ffmpeg failed, probably because the file cannot hold the codec of an audio track.
      sentences = []
      sentence = try run(
        arguments(folder, begin: begin, end: end, audio: format.audioCodec, &sentences), to: path)
      sentences.append(
        "The sound is encoded anew as \(format.audioCodec), because '\(path)' cannot hold it as it is."
      )
    }
    if let sentence { throw failure(sentence, path) }
    return sentences
  }

  private func failure(_ sentence: String, _ path: String) -> FilmError {
    FilmError(.output, "ffmpeg could not write '\(path)': \(sentence)")
  }

  private static func isFullDisk(_ sentence: String?) -> Bool {
    sentence?.contains("No space left") ?? false
  }

  /// Runs ffmpeg with a draft of the result. Returns the end of a sentence that says what went wrong, or nil.
  private func run(_ arguments: [String], to path: String) throws -> String? {
    let draft = try Draft(of: path)
    let child = try ChildProcess(
      programs.ffmpeg, arguments + ["-f", format.muxer, "-y", FilmDescription.argument(draft.path)])
    if let sentence = child.wait() {
      return child.errorLines.first { $0.contains("No space left") } ?? child.errorLines.first
        ?? sentence
    }
    try draft.place()
    return nil
  }

  private func animation(_ folder: SegmentFolder) -> [String] {
    var arguments: [String] = input(folder, begin: 0)
    switch format.muxer {
    case "gif":
      arguments += [
        "-filter_complex", "split[a][b];[a]palettegen[p];[b][p]paletteuse", "-loop", "0",
      ]
    case "apng": arguments += ["-plays", "0"]
    default: arguments += ["-loop", "0"]
    }
    return arguments + ["-c:v", format.codec, "-fps_mode", "passthrough"]
  }

  private func input(_ folder: SegmentFolder, begin: Int64) -> [String] {
    var arguments: [String] = ["-nostdin", "-hide_banner", "-loglevel", "error"]
    if isRotatedBack, let film, film.rotation != 0, (programs.version ?? 7) >= 6 {
      // This option takes a counter-clockwise angle.
      arguments += ["-display_rotation:v:0", "\(360 - film.rotation)"]
    }
    if begin > 0 { arguments += ["-itsoffset", Self.seconds(begin)] }
    return arguments + ["-f", "concat", "-safe", "0", "-i", FilmDescription.argument(folder.list)]
  }

  private func arguments(
    _ folder: SegmentFolder, begin: Int64, end: Int64, audio: String, _ sentences: inout [String]
  ) -> [String] {
    var arguments: [String] = input(folder, begin: begin)
    // A camera and raw frames have no other tracks.
    let original: FilmDescription? = film.flatMap { $0.isCamera ? nil : $0 }
    if let original {
      if let from { arguments += ["-ss", "\(from)"] }
      if let to { arguments += ["-to", "\(to)"] }
      arguments += ["-i", FilmDescription.argument(original.path)]
    }
    arguments += ["-map", "0:v:0", "-c", "copy"]
    if let original {
      arguments += ["-map_metadata", "1", "-map_chapters", "1"]
      arguments += tracks(of: original, audio: audio, &sentences)
    }
    if format.holdsRotation {
      // ffmpeg before version 6 takes the counter-clockwise angle from this entry, later versions from the input.
      let angle: Int = isRotatedBack ? (360 - (film?.rotation ?? 0)) % 360 : 0
      let isTaken: Bool = angle != 0 && (programs.version ?? 7) < 6
      arguments += ["-metadata:s:v:0", "rotate=\(isTaken ? "\(angle)" : "")"]
      if let film, film.timescale >= 1000, film.timescale <= 1_000_000 {
        arguments += ["-video_track_timescale", "\(film.timescale)"]
      }
      arguments += ["-movflags", "+faststart+use_metadata_tags"]
    }
    if format.codec == "libx265", format.holdsRotation { arguments += ["-tag:v", "hvc1"] }
    return arguments
  }

  /// Returns the arguments that copy the other tracks. Leaves out tracks that the file cannot hold.
  private func tracks(
    of film: FilmDescription, audio: String, _ sentences: inout [String]
  ) -> [String] {
    var arguments: [String] = ["-map_metadata:s:0", "1:s:\(film.video.index)"]
    var subtitles: Int = 0
    var count: Int = 1
    func map(_ track: FilmDescription.Track) {
      arguments += ["-map", "1:\(track.index)", "-map_metadata:s:\(count)", "1:s:\(track.index)"]
      count += 1
    }
    let pictures: Set<String> = ["dvd_subtitle", "hdmv_pgs_subtitle", "dvb_subtitle", "xsub"]
    for track in film.tracks where track.index != film.video.index {
      switch track.kind {
      case "audio": map(track)
      case "subtitle":
        let isPicture: Bool = pictures.contains(track.codec)
        guard format.muxer != "avi", !isPicture || format.holdsPictureSubtitles else {
          sentences.append(
            "The subtitles of track \(track.index) (\(track.codec)) are left out, because the file cannot hold them; a file .mkv can."
          )
          continue
        }
        map(track)
        if let codec = format.textSubtitles {
          arguments += ["-c:s:\(subtitles)", codec == track.codec ? "copy" : codec]
        } else if track.codec == "mov_text" {
          arguments += ["-c:s:\(subtitles)", "srt"]
        }
        subtitles += 1
      case "attachment" where format.muxer == "matroska": arguments += ["-map", "1:\(track.index)"]
      case "video" where track.isPicture && format.muxer != "avi" && format.muxer != "webm":
        map(track)
        arguments += ["-disposition:v:1", "attached_pic"]
      default: break
      }
    }
    return audio == "copy" ? arguments : arguments + ["-c:a", audio]
  }

  static func seconds(_ microseconds: Int64) -> String {
    let rest = String(microseconds.magnitude % 1_000_000)
    return (microseconds < 0 ? "-" : "") + "\(microseconds.magnitude / 1_000_000)."
      + String(repeating: "0", count: 6 - rest.count) + rest
  }
}
