"""Drives the compiler Rumoca: FILE CLASS ROOT...

Answers are lines: "@", a word and its fields, with tabs between. All else is chatter. The file is
compiled as a copy in a folder of its own, since Rumoca reads everything beside it, too.

Rumoca 0.9.10 computes algebraic variables once, and some before those that they need, so that these
have the values of the call before. `settle` computes them until none changes: as often as the
longest chain has links, which is exact. It also gives calculated variables start values, which the
standard forbids: these are left out.
"""
import glob
import hashlib
import os
import re
import shutil
import sys
import tempfile
import zipfile


def say(*fields):
    print('\n@\t' + '\t'.join(' '.join(str(f).split()) for f in fields), flush=True)


try:
    import rumoca
except ImportError:
    sys.exit(say('missing'))
path, name, *roots = sys.argv[1:]
hashed = hashlib.sha256(repr((3, rumoca.version(), name)).encode())
for file in [path] + sorted(f for r in roots for f in glob.glob(r + '/**/*.mo', recursive=True)):
    with open(file, 'rb') as f:
        hashed.update(hashlib.sha256(f.read()).digest())
cache = os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache')
leaf = (name or os.path.basename(path)[:-3]).rpartition('.')[2] + '.fmu'
fmus = [os.path.join(folder, hashed.hexdigest()[:16], leaf)
        for folder in (path + '.runtime', cache + '/ironbird/modelica')]
for fmu in fmus:
    if os.path.exists(fmu):
        sys.exit(say('fmu', fmu, 'kept'))


def complain(error, work, copy):
    text = str(error)
    if '`fmi` feature' in text:
        return say('no fmi', rumoca.version())
    try:
        said = '\n'.join(d.message for d in rumoca.validate(copy, model=name or None))
    except Exception:
        said = ''
    placed = re.findall(r'\u00d7 ([^\n]+)\n[^\n]*\[[^\n]*?:(\d+):(\d+)\]', said)
    for what, line, column in placed:
        say('error', line, column, what)
    if not placed:
        say('error', 0, 0, text.split('\n')[0].replace(work + '/', ''))


head = 'static void compute_algebraics(ModelInstance* m)'
once = head.replace('(', '_once(')
settle = once + ';\n' + head + ''' {
    for (int i = 0; i <= N_ALGEBRAICS + N_OUTPUTS; i++) {
        char y[sizeof m->y], w[sizeof m->w];
        memcpy(y, m->y, sizeof y);
        memcpy(w, m->w, sizeof w);
        compute_algebraics_once(m);
        if (memcmp(y, m->y, sizeof y) == 0 && memcmp(w, m->w, sizeof w) == 0)
            return;
    }
}'''


def compile(work):
    copy = shutil.copy(path, work)
    try:
        model = rumoca.Session(roots).load(copy, model=name or None)
        files = {f.path: f.content for f in model.codegen('fmi3').files}
    except BaseException as error:
        return complain(error, work, copy)
    counts = r'#define N_(?:EVENT_IND|PERIODIC_CL|TRIGGERED_CL)\w+ +(\d+)'
    events = [int(n) for text in files.values() for n in re.findall(counts, text)]
    if any(events):
        return say('events', model.name, sum(events), rumoca.version())
    source = files.pop('sources/%s.c' % model.name, '')
    if source.count(head + ';') != 1 or source.count(head + ' {') != 1:
        return say('error', 0, 0, 'version %s is not known' % rumoca.version())
    source = source.replace(head + ' {', once + ' {').replace(head + ';', settle)
    files['sources/%s.c' % model.name.replace('.', '_')] = source
    about = 'modelDescription.xml'
    files[about] = re.sub(r'(initial="calculated"[^>]*?) start="[^"]*"', r'\1', files[about])
    with zipfile.ZipFile(work + '/fmu', 'w', zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(files):
            archive.writestr(file, files[file])
    for fmu in fmus:
        try:
            os.makedirs(os.path.dirname(fmu), exist_ok=True)
            shutil.copy(work + '/fmu', '%s.%d' % (fmu, os.getpid()))
            os.replace('%s.%d' % (fmu, os.getpid()), fmu)
            return say('fmu', fmu, 'made by Rumoca ' + rumoca.version())
        except OSError as error:
            problem = error
    say('error', 0, 0, 'the FMU cannot be kept: %s' % problem)


with tempfile.TemporaryDirectory() as work:
    compile(work)
